import { agentCodec } from '@throughline/core/internal';
import {
  createStrategy,
  emptyState,
  openLoadedTranscript,
  openTranscript,
  prepare,
  renderView,
} from '@throughline/core';
import { expect, it } from 'vitest';
import { loadAll, openHistory } from './open-history.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change } from '@throughline/core/types';
import type { SessionMessage } from '@throughline/core/codec';

const options = { codec: agentCodec };

const messages = Array.from({ length: 3_200 }, (_, at): SessionMessage => ({
  id: `m${at}`,
  role: at % 2 === 0 ? 'user' : 'assistant',
  parts: [{ type: 'text', text: `Message ${at} of src/part-${at % 9}.ts` }],
}));

const placed = messages.map((message, ordinal) => ({ ordinal, message }));

/** Those of a pass over the first messages, and the messages that it leaves in sight. */
function compacted(length: number): {
  readonly changes: readonly Change[];
  readonly shown: typeof placed;
} {
  const transcript = openTranscript(options, messages.slice(0, length));
  const step = prepare(transcript, emptyState(), {
    budget: { windowTokens: 6_000 },
    strategy: createStrategy('threshold-tail'),
    summariser: { type: 'code' },
  });
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  const inView = new Set(
    [...step.view.items].flatMap((item) => (item.type === 'entry' ? [item.entry.ordinal] : [])),
  );
  const shown = placed.filter(({ ordinal }) => ordinal >= length || inView.has(ordinal));
  return { changes: step.state.changes, shown };
}

it.each([10, 700, 1_500, 3_200])(
  'opens what it is given as if at once, behind a compaction of %i messages',
  async (length) => {
    const { changes, shown } = compacted(length);
    expect(shown.length < placed.length).toBe(length > 10);
    const history = { messages: shown, historyLength: placed.length, changes };
    const opened = await openHistory(options, history);
    const atOnce = openLoadedTranscript(options, history);
    expect(opened.conversation.entries.slice()).toEqual(atOnce.conversation.entries.slice());
    expect(opened.conversation.tokensBefore.slice()).toEqual(atOnce.conversation.tokensBefore.slice());
    expect(opened.conversation.taskAt).toBe(atOnce.conversation.taskAt);
    expect(opened.conversation.unloadedRanges).toEqual(atOnce.conversation.unloadedRanges);
    const viewOf = (transcript: typeof atOnce): unknown => {
      const step = prepare(
        transcript,
        { ...emptyState(), changes },
        {
          budget: { windowTokens: 2_000_000 },
          strategy: createStrategy('reactive-overflow'),
        },
      );
      return step.type === 'ready' ? renderView(transcript, step.view).messages : step.type;
    };
    expect(viewOf(opened)).toEqual(viewOf(atOnce));
  },
);

it('says of a message that is missing that it is', async () => {
  const history = { messages: placed.toSpliced(2_500, 1), historyLength: placed.length, changes: [] };
  await expect(openHistory(options, history)).rejects.toMatchObject({ code: 'not-loaded' });
});

it('gives others their turn while a long history is loaded and opened', async () => {
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns += 1) await nextTurn();
  })();
  const loaded = await loadAll(placed, (message) => Promise.resolve(message));
  expect(loaded).toEqual(placed);
  expect(turns).toBeGreaterThan(1);
  const before = turns;
  await openHistory(options, { messages: loaded, historyLength: loaded.length, changes: [] });
  expect(turns).toBeGreaterThan(before + 1);
  isDone = true;
  await others;
});
