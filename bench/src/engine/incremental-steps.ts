import { emptyState, prepare } from '@throughline/core';
import { chatTranscript, createChatWriter } from '../synthetic/chat-transcript.ts';
import { goOn, open, ready } from './ours.ts';
import { heapBytes, median, quantile } from './measure.ts';
import { textsOf } from './floor.ts';
import type { ChatMessage } from '../synthetic/chat-transcript.ts';
import type { Going } from './ours.ts';
import type { Policy } from '@throughline/core';

export interface Incremental {
  readonly messages: number;
  readonly steps: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Steps in which the ladder ran. */
  readonly passes: number;
  /** Heap of messages, transcript and state together. */
  readonly heapMB: number;
  readonly textMB: number;
}

const warmUpSteps = 100;
const measuredSteps = 400;

/** A session of `messages` messages that goes on step by step. */
export function incrementalSteps(messages: number, policy: Policy): Incremental {
  const before = heapBytes();
  // As they come from a parser: no piece of the generator is held by them.
  const history = JSON.parse(JSON.stringify(chatTranscript(messages))) as ChatMessage[];
  const textMB = textsOf(history).reduce((sum, text) => sum + text.length, 0) / 1e6;
  const transcript = open(history);
  let going: Going = { transcript, state: ready(prepare(transcript, emptyState(), policy)).state };
  const heapMB = (heapBytes() - before) / 1e6;
  const writer = createChatWriter(messages + 7);
  const times: number[] = [];
  let passes = 0;
  for (let step = 0; step < warmUpSteps + measuredSteps; step += 1) {
    const added = writer.group().filter(({ role }) => role !== 'user');
    const start = performance.now();
    const next = goOn(going, added, policy);
    const ms = performance.now() - start;
    going = next;
    if (step < warmUpSteps) continue;
    times.push(ms);
    if (next.step.checkpoint) passes += 1;
  }
  return {
    messages,
    steps: measuredSteps,
    medianMs: median(times),
    p95Ms: quantile(times, 0.95),
    maxMs: Math.max(...times),
    passes,
    heapMB,
    textMB,
  };
}
