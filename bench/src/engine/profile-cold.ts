import { Session } from 'node:inspector/promises';
import { basename } from 'node:path';
import {
  emptyState,
  openaiChatCodec,
  measureEntry,
  prepare,
  renderView,
  scriptAwareEstimator,
} from '@throughline/core';
import { formatNumber, formatTable } from '../table.ts';
import { chatTranscript } from '../synthetic/chat-transcript.ts';
import { coldPass, open, ready } from './ours.ts';
import { median, settle } from './measure.ts';
import { flatMediaPricing } from '@throughline/replay';
import { readCharacters, textsOf } from './floor.ts';
import type { Policy } from '@throughline/core';

const runs = 7;

/** Where a cold pass spends its time: its phases one after the other, then self time by file and function. */
export async function profileCold(length: number, policy: Policy): Promise<string> {
  const json = JSON.stringify(chatTranscript(length));
  const fresh = (): ReturnType<typeof chatTranscript> =>
    JSON.parse(json) as ReturnType<typeof chatTranscript>;
  for (let run = 0; run < 3; run += 1) coldPass(fresh(), policy);
  const phases: Record<string, number[]> = {};
  const note = (phase: string, start: number): void =>
    void (phases[phase] ??= []).push(performance.now() - start);
  for (let run = 0; run < runs; run += 1) {
    await settle();
    const messages = fresh();
    const texts = textsOf(messages);
    let start = performance.now();
    readCharacters(texts);
    note('floor: read all characters', start);
    start = performance.now();
    const entries = messages.map((message, index) => openaiChatCodec.decode(message, index));
    note('decode', start);
    start = performance.now();
    for (const entry of entries)
      measureEntry(entry, { estimator: scriptAwareEstimator, media: flatMediaPricing });
    note('measure', start);
    start = performance.now();
    const transcript = open(messages);
    note('openTranscript (decode, measure, units)', start);
    start = performance.now();
    const step = ready(prepare(transcript, emptyState(), policy));
    note('prepare (truncate, prune, compact, fit)', start);
    start = performance.now();
    renderView(transcript, step.view);
    note('renderView', start);
  }
  const total = [
    'openTranscript (decode, measure, units)',
    'prepare (truncate, prune, compact, fit)',
    'renderView',
  ]
    .map((phase) => median(phases[phase] ?? []))
    .reduce((sum, ms) => sum + ms, 0);
  const rows = Object.entries(phases).map(([phase, times]) => [
    phase,
    formatNumber(median(times)),
    formatNumber((median(times) / total) * 100, 1),
  ]);
  rows.push(['ours in all', formatNumber(total), '100.0']);
  return [
    `Cold pass over ${length} messages, ${policy.strategy.name}, window ${policy.budget.windowTokens}: medians of ${runs} runs`,
    formatTable(['phase', 'ms', '%'], rows),
    '',
    ...(await selfTimes(() => {
      for (let run = 0; run < runs; run += 1) coldPass(fresh(), policy);
    })),
  ].join('\n');
}

const shownRows = 25;

/** Self time under the sampling profiler, by file and by function; what is not ours is summed up. */
async function selfTimes(run: () => void): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  run();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const byFile = new Map<string, number>();
  const byFunction = new Map<string, number>();
  const byNode = new Map<number, number>();
  for (const [index, node] of (profile.samples ?? []).entries()) {
    byNode.set(node, (byNode.get(node) ?? 0) + (profile.timeDeltas?.[index] ?? 0));
  }
  let total = 0;
  for (const { id, callFrame } of profile.nodes) {
    const time = byNode.get(id) ?? 0;
    total += time;
    const file = /packages[\\/](?:core|tokenizers)[\\/](?:src|dist)[\\/](.*)\.[jt]s$/.exec(
      callFrame.url,
    )?.[1];
    const place =
      file ??
      (callFrame.url === ''
        ? `(${callFrame.functionName || 'native'})`
        : `other: ${basename(callFrame.url)}`);
    byFile.set(place, (byFile.get(place) ?? 0) + time);
    const name = `${callFrame.functionName || '(anonymous)'} ${file ?? ''}:${callFrame.lineNumber + 1}`;
    byFunction.set(name, (byFunction.get(name) ?? 0) + time);
  }
  const table = (heading: string, times: ReadonlyMap<string, number>): string =>
    formatTable(
      [heading, '% self'],
      [...times]
        .toSorted(([, left], [, right]) => right - left)
        .slice(0, shownRows)
        .map(([name, time]) => [name, formatNumber((time / total) * 100, 1)]),
    );
  return [table('file', byFile), '', table('function', byFunction)];
}
