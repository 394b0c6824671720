import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { appendMessages, countMessages, openTranscript, rewind } from './transcript.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { emptyState, parseState } from '../pass/state.ts';
import { estimateTokens } from '../context/questions.ts';
import { isRangeChange } from '../changes/change.ts';
import { replay } from '../changes/replay.ts';
import { loadedFor, reopened } from '../../test/loaded-history.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openLoadedTranscript } from './open-loaded-transcript.ts';
import { prepare } from '../context/prepare.ts';
import { recall } from './recall.ts';
import { searchTranscript } from './search.ts';
import { renderView } from './render-view.ts';
import { undo } from '../context/undo.ts';
import type { Transcript } from './transcript.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Ready, Step } from '../context/step.ts';

const options = { codec: openaiChatCodec, estimator: charactersEstimator };
const policy = policyOf(16_000);

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

const compacted = (transcript: Transcript): Ready =>
  ready(prepare(transcript, emptyState(), policy, { reason: 'manual' }));

const textOf = (transcript: Transcript, { view }: Ready): string =>
  JSON.stringify(renderView(transcript, view).messages.map(({ message }) => message));

/** A history that is compacted, and what is loaded of it. */
function compactedRun(exchanges = 60): { history: unknown[]; step: Ready; transcript: Transcript } {
  const history = agentRun(exchanges, 600);
  const step = compacted(transcriptOf(history));
  return { history, step, transcript: reopened(options, history, step.state.changes) };
}

describe('openLoadedTranscript', () => {
  it('decodes what is loaded, and nothing else', () => {
    const { history, step } = compactedRun();
    const decoded: number[] = [];
    const codec: Codec = {
      ...openaiChatCodec,
      decode: (message, ordinal) => {
        decoded.push(ordinal);
        return openaiChatCodec.decode(message, ordinal);
      },
    };
    const loaded = loadedFor(history, step.state.changes);
    const { conversation } = openLoadedTranscript({ codec }, loaded);
    const ordinals = loaded.messages.map(({ ordinal }) => ordinal);
    expect(ordinals.length).toBeLessThan(history.length / 2);
    expect(decoded.slice(-ordinals.length)).toEqual(ordinals);
    expect(decoded.length - ordinals.length).toBeLessThan(3);
    expect(conversation.entries.length).toBeLessThan(ordinals.length + 3);
  });

  it('goes on with the ordinal after the whole history', () => {
    const { history, transcript } = compactedRun();
    const { conversation } = appendMessages(transcript, exchange(99));
    const entries = conversation.entries.slice();
    expect(entries.slice(-2).map(({ ordinal }) => ordinal)).toEqual([history.length, history.length + 1]);
    expect(countMessages(transcript).total).toBe(history.length);
  });

  it('says which messages are missing that no range hides', () => {
    const { history, step } = compactedRun();
    const loaded = loadedFor(history, step.state.changes);
    const open = (messages: typeof loaded.messages): unknown =>
      openLoadedTranscript(options, { ...loaded, messages });
    const last = history.length - 1;
    expect(() => open(loaded.messages.slice(0, -1))).toThrow(
      expect.objectContaining({ code: 'not-loaded', details: { first: last, end: last + 1 } }),
    );
    expect(() => openLoadedTranscript(options, { ...loaded, changes: [] })).toThrow(
      expect.objectContaining({ code: 'not-loaded' }),
    );
  });

  it.each([
    ['go back', [0, 1, 0]],
    ['come twice', [0, 0]],
    ['lie behind the history', [0, 7]],
    ['are no places', [0, 0.5]],
  ])('refuses ordinals that %s', (_how, ordinals) => {
    const messages = ordinals.map((ordinal) => ({ ordinal, message: { role: 'user', content: 'a' } }));
    expect(() => openLoadedTranscript(options, { messages, historyLength: 2, changes: [] })).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  });

  it('is the whole history where nothing is missing', () => {
    const history = agentRun(3);
    const { conversation } = reopened(options, history, []);
    expect(conversation.entries.slice()).toEqual(transcriptOf(history).conversation.entries.slice());
    expect(conversation.unloadedRanges).toEqual([]);
  });
});

describe('what is not loaded', () => {
  it('is in no view, search or estimate of the whole', () => {
    const { history, transcript } = compactedRun();
    expect(() => replay(transcript.conversation, [])).toThrow(
      expect.objectContaining({ code: 'not-loaded', details: expect.objectContaining({ first: 2 }) }),
    );
    expect(() => estimateTokens(transcript)).toThrow(expect.objectContaining({ code: 'not-loaded' }));
    expect(recall(transcript, 'm3')).toBeUndefined();
    expect(recall(transcript, 'm1')?.text).toContain('Fix the login bug');
    expect(recall(transcript, `m${history.length - 1}`)).toBeDefined();
    expect(searchTranscript(transcript, 'module-0.ts')).toEqual([]);
  });

  it('is asked for where an undo would show it, and the undo works once it is loaded', () => {
    const { history, step, transcript } = compactedRun();
    const { checkpoint } = step;
    if (!checkpoint) throw new Error('expected a checkpoint');
    const large = policyOf(200_000);
    expect(() => undo(transcript, step.state, large, checkpoint)).toThrow(
      expect.objectContaining({ code: 'not-loaded' }),
    );
    const former = reopened(options, history, checkpoint.retired);
    expect(undo(former, step.state, large, checkpoint)).toMatchObject({
      changes: [],
      isAutoCompactionPaused: true,
    });
  });

  it('is asked for where the client rewound into it', () => {
    const { transcript, step } = compactedRun();
    const { entries } = transcript.conversation;
    const tail = entries.slice().findLastIndex(({ standsFor }) => standsFor !== undefined) + 1;
    expect(ready(prepare(transcript, step.state, policy)).report.skippedChanges).toBe(0);
    expect(() => prepare(rewind(transcript, tail), step.state, policy)).toThrow(/not loaded/);
    expect(ready(prepare(rewind(transcript, 2), step.state, policy)).report.skippedChanges).toBe(1);
  });
});

describe('a compaction over what is not loaded', () => {
  it('says in a few numbers what it was made of, however often it is made', () => {
    const history = agentRun(20, 600);
    let transcript: Transcript = transcriptOf(history);
    let { state } = compacted(transcript);
    for (let round = 0; round < 30; round += 1) {
      transcript = reopened(options, history, state.changes);
      const more = Array.from({ length: 8 }, (_, index) => exchange(100 + round * 8 + index)).flat();
      history.push(...more);
      transcript = appendMessages(transcript, more);
      ({ state } = ready(prepare(transcript, state, policy, { reason: 'manual' })));
    }
    const [range, ...others] = state.changes.filter(isRangeChange);
    expect(others).toEqual([]);
    expect(range?.summary.round).toBe(31);
    expect(range?.anchor.runs).toHaveLength(1);
    expect(transcript.conversation.entries.length).toBeLessThan(80);
    const stored = parseState(JSON.parse(JSON.stringify(state)));
    expect(replay(transcriptOf(history).conversation, stored.changes).skipped).toEqual([]);
  });
});

describe('a task that went with its results into a range', () => {
  // The model speaks first, and the first request stands beside the result of its call.
  const history: unknown[] = [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'nothing' },
        { type: 'text', text: 'Repair the heating in room 7.' },
      ],
    },
    ...Array.from({ length: 12 }, (_, index) => [
      { role: 'assistant', content: `I look at part ${index}. ${'It is cold. '.repeat(40)}` },
      { role: 'user', content: `And part ${index + 1}?` },
    ]).flat(),
    { role: 'assistant', content: 'Done.' },
  ];

  it('stays the task in every later summary, loaded or not', () => {
    const anthropic = { codec: anthropicCodec, estimator: charactersEstimator };
    let whole: Transcript = openTranscript(anthropic, history);
    const first = compacted(whole);
    let loaded: Transcript = reopened(anthropic, history, first.state.changes);
    const [range] = first.state.changes.filter(isRangeChange);
    expect(range?.anchor.lead).toEqual([]);
    expect(range?.summary.task?.text).toBe('Repair the heating in room 7.');
    const more = history.slice(-20);
    whole = appendMessages(whole, more);
    loaded = appendMessages(loaded, more);
    const [one, other] = [whole, loaded].map((transcript) =>
      ready(prepare(transcript, first.state, policy, { reason: 'manual' })),
    ) as [Ready, Ready];
    expect(one.changes.some(isRangeChange)).toBe(true);
    expect(textOf(loaded, other)).toBe(textOf(whole, one));
    expect(textOf(whole, one)).toContain('id=\\"m1\\"');
    expect(textOf(whole, one)).toContain('Repair the heating in room 7.');
  });
});
