import { describe, expect, it } from 'vitest';
import { appendMessages, openTranscript } from '../history/transcript.ts';
import { boundReasoning } from './bound-reasoning.ts';
import { partRecallId } from '../transcript/entry.ts';
import { undo } from '../context/undo.ts';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { emptyState } from '../pass/state.ts';
import { policyOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { renderView } from '../history/render-view.ts';
import type { Change } from '../changes/change.ts';
import type { Checkpoint, Ready } from '../context/step.ts';
import type { Codec } from '../codecs/codec.ts';
import type { ContextState } from '../pass/state.ts';
import type { Policy } from '../pass/policy.ts';
import type { PrepareOptions } from '../context/prepare.ts';
import type { Transcript } from '../history/transcript.ts';

function thinkingRun(exchanges: number): unknown[] {
  const messages: unknown[] = [{ role: 'user', content: 'Find the bug.' }];
  for (let index = 0; index < exchanges; index += 1) {
    messages.push({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: `step ${index}`, signature: `sig${index}` },
        { type: 'tool_use', id: `t${index}`, name: 'read', input: { path: `src/${index}.ts` } },
      ],
    });
    messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: `value ${index} `.repeat(120) }],
    });
  }
  return messages;
}

const thought = (name: string): unknown => ({
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: name, signature: `sig-${name}` },
    { type: 'text', text: `After ${name}.` },
  ],
});

function signatures(policy: Policy): { all: string[]; text: string } {
  const transcript = openTranscript({ codec: anthropicCodec }, thinkingRun(60));
  const step = prepare(transcript, emptyState(), policy);
  if (step.type !== 'ready') throw new Error(step.type);
  const text = JSON.stringify(renderView(transcript, step.view).messages.map(({ message }) => message));
  return { all: text.match(/sig\d+/g) ?? [], text };
}

describe('signed reasoning behind an edit', () => {
  it('stays whole where it is bound to its own content', () => {
    const { all, text } = signatures(policyOf(20_000));
    expect(text).toMatch(/\[cleared result|Compaction Round/);
    expect(all.length).toBeGreaterThan(0);
    for (const signature of all) expect(text).toContain(`step ${signature.slice(3)}"`);
  });

  it('is dropped with the edit, the open tool loop included, where it is bound to everything before it', () => {
    const { all, text } = signatures({ ...policyOf(20_000), reasoningBinding: 'prefix' });
    expect(text).toMatch(/\[cleared result|Compaction Round/);
    expect(all).toEqual([]);
    expect(text).not.toContain('"thinking"');
  });

  it('stays where nothing was edited', () => {
    const { all } = signatures({ ...policyOf(200_000), reasoningBinding: 'prefix' });
    expect(all).toHaveLength(60);
  });
});

describe('reasoning that was made behind another view', () => {
  const policy: Policy = { ...policyOf(200_000), reasoningBinding: 'prefix' };
  const open = (messages: readonly unknown[]): Transcript =>
    openTranscript({ codec: anthropicCodec as Codec }, messages);
  const next = { role: 'user', content: 'Next.' };

  function step(transcript: Transcript, state: ContextState, options: PrepareOptions = {}): Ready {
    const done = prepare(transcript, state, policy, options);
    if (done.type !== 'ready') throw new Error(done.type);
    return done;
  }

  const signaturesIn = (transcript: Transcript, { view }: Ready): string[] =>
    JSON.stringify(renderView(transcript, view).messages).match(/sig(-\w+|\d+)/g) ?? [];

  const before = Array.from({ length: 20 }, (_, index) => `sig${index}`);

  it('goes when the compaction is undone; what was made before it comes back', () => {
    let transcript = open(thinkingRun(20));
    const first = step(transcript, emptyState(), { reason: 'manual' });
    expect(signaturesIn(transcript, first)).toEqual([]);
    transcript = appendMessages(transcript, [thought('one'), next]);
    const second = step(transcript, first.state);
    expect(signaturesIn(transcript, second)).toEqual(['sig-one']);
    const undone = undo(transcript, second.state, policy, first.checkpoint as Checkpoint);
    const third = step(transcript, undone);
    expect(signaturesIn(transcript, third)).toEqual(before);
    transcript = appendMessages(transcript, [thought('two'), next]);
    expect(signaturesIn(transcript, step(transcript, third.state))).toEqual([...before, 'sig-two']);
  });

  it('goes for each of several compactions that are undone one by one', () => {
    let transcript = open(thinkingRun(20));
    const first = step(transcript, emptyState(), { reason: 'manual' });
    transcript = appendMessages(transcript, [thought('one'), next, ...thinkingRun(20).slice(1)]);
    const second = step(transcript, step(transcript, first.state).state, { reason: 'manual' });
    transcript = appendMessages(transcript, [thought('two'), next]);
    const back = undo(transcript, second.state, policy, second.checkpoint as Checkpoint);
    const afterOne = signaturesIn(transcript, step(transcript, back));
    expect(afterOne).toContain('sig-one');
    expect(afterOne).not.toContain('sig-two');
    const start = undo(transcript, back, policy, first.checkpoint as Checkpoint);
    expect(signaturesIn(transcript, step(transcript, start))).toEqual(before);
  });

  it('goes once when the client has edited what the compaction stood for, and new reasoning stays', () => {
    let transcript = open(thinkingRun(20));
    const first = step(transcript, emptyState(), { reason: 'manual' });
    transcript = appendMessages(transcript, [thought('one'), next]);
    const second = step(transcript, first.state);
    const edited = thinkingRun(20);
    edited[2] = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't0', content: 'another value' }],
    };
    let other = open([...edited, thought('one'), next]);
    const third = step(other, second.state);
    expect(third.report.skippedChanges).toBeGreaterThan(0);
    expect(signaturesIn(other, third)).not.toContain('sig-one');
    other = appendMessages(other, [thought('two'), next]);
    const fourth = step(other, third.state);
    expect(fourth.report.skippedChanges).toBe(0);
    expect(signaturesIn(other, fourth)).toContain('sig-two');
  });

  it('goes behind a result that is truncated when a long history is handed in for the first time', () => {
    const messages = thinkingRun(4);
    messages[2] = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't0', content: 'value '.repeat(80_000) }],
    };
    const transcript = open(messages);
    const done = step(transcript, emptyState());
    expect(done.report.ladderSteps.map(({ ladderStep }) => ladderStep)).toEqual(['truncate']);
    expect(signaturesIn(transcript, done)).toEqual(['sig0']);
  });
});

describe('voidedReasoning', () => {
  it('takes any number of changes', () => {
    const { conversation } = openTranscript({ codec: anthropicCodec }, thinkingRun(2));
    const change = (ordinal: number): Change => ({
      type: 'result-pruned',
      anchor: { ordinal, part: 0, fingerprint: '' },
      text: '',
      reason: 'old-output',
      recallId: partRecallId(ordinal, 0),
      beforeTokens: 1,
      afterTokens: 0,
    });
    const added = Array.from({ length: 300_000 }, (_, index) => change(index + 2));
    expect(boundReasoning(conversation, added, added, 'prefix').map(({ anchor }) => anchor.ordinal)).toEqual([
      3,
    ]);
  });
});
