import { describe, expect, it } from 'vitest';
import { messageRecallId } from '../transcript/entry.ts';
import { weighedByRarity } from './novelty.ts';
import type { TimelineEntry } from '../transcript/summary.ts';

const entry = (at: number, text: string, kind: 'said' | 'user' = 'said'): TimelineEntry => ({
  recallId: messageRecallId(at),
  lines: [{ kind, label: '', sent: [{ text, score: 1 }], got: [] }],
});

const scores = (entries: readonly TimelineEntry[]): (number | undefined)[] =>
  weighedByRarity(entries).map(({ lines }) => lines[0]?.sent[0]?.score);

const usual = Array.from({ length: 20 }, (_, at) => entry(at, 'All of it is fixed now.'));

describe('a sentence weighed by how rare its words are', () => {
  it('is worth less where every message says it, and more where it names what no other does', () => {
    const all = scores([...usual, entry(20, 'The walker skips symbolic links below the cache folder.')]);
    expect(all[0]).toBeLessThan(0.5);
    expect(all[20]).toBeGreaterThan(1);
  });

  it('is told by the rarest messages, however few there are', () => {
    const few = scores([...usual.slice(0, 7), entry(7, 'The walker skips symbolic links.')]);
    expect(few[7]).toBeGreaterThan(2 * (few[0] ?? 1));
  });

  it('is weighed in scripts without spaces, too', () => {
    const same = Array.from({ length: 20 }, (_, at) => entry(at, 'すべて完了しました。'));
    const all = scores([...same, entry(20, '日付の境界で予約が二重になる原因を特定。')]);
    expect(all[20]).toBeGreaterThan(2 * (all[0] ?? 1));
  });

  it('stays as it is among too few to know, and where a user said it', () => {
    expect(scores(usual.slice(0, 7))).toEqual(usual.slice(0, 7).map(() => 1));
    expect(scores([...usual, entry(20, 'Never touch the lockfile.', 'user')])[20]).toBe(1);
  });

  it('keeps what says nothing by itself, and the order', () => {
    const bracket: TimelineEntry = {
      recallId: messageRecallId(30),
      lines: [{ kind: 'edit', label: 'edit a.ts', sent: [{ text: '}', score: -1 }], got: [] }],
    };
    const weighed = weighedByRarity([...usual, bracket]);
    expect(weighed.at(-1)).toEqual(bracket);
    expect(weighed.map(({ recallId }) => recallId)).toEqual(
      [...usual, bracket].map(({ recallId }) => recallId),
    );
  });
});
