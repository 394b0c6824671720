import { describe, expect, it } from 'vitest';
import { editObject } from '../json/edit-object.ts';
import { decodePieces, makeEntry } from './decode-parts.ts';
import { editResult } from './edit-table.ts';
import type { ResultPart, TextPart } from '../transcript/entry.ts';

const keys = ['said'];
const textBlock = (said: string) => ({ type: 'words', said });
const decoders = new Map([
  [
    'words',
    (block: Readonly<Record<string, unknown>>, at: TextPart['at']): TextPart | undefined =>
      typeof block['said'] === 'string' ? { type: 'text', at, text: block['said'] } : undefined,
  ],
]);

/** The content of a result after its texts became one. */
function edited(content: unknown, keepMedia = false): unknown {
  const wire = { from: 'tool', inner: { content } };
  const contentAt = ['inner', 'content'];
  const pieces = decodePieces(content, contentAt, decoders);
  const part: ResultPart = { type: 'result', at: [], callId: 'c1' as never, isError: false, pieces };
  const change = { type: 'replace-result', part, text: 'less', keepMedia } as const;
  const entry = makeEntry({ wire }, 0, 'tool', [part]);
  const edits = editResult(change, { entry, changes: [change] }, { contentAt, textBlock, keys });
  return (editObject(wire, edits) as typeof wire).inner.content;
}

describe('editResult, in a format with a name of its own for texts', () => {
  it('writes the text where the block has it, and keeps the other fields of the block', () => {
    expect(
      edited([
        { type: 'words', said: 'a', lang: 'en' },
        { type: 'words', said: 'b' },
      ]),
    ).toEqual([{ type: 'words', said: 'less', lang: 'en' }]);
  });

  it('keeps what is no text only where that is asked for', () => {
    const picture = { type: 'picture', url: 'u' };
    expect(edited([picture, { type: 'words', said: 'a' }])).toEqual([{ type: 'words', said: 'less' }]);
    expect(edited([picture, { type: 'words', said: 'a' }], true)).toEqual([
      picture,
      { type: 'words', said: 'less' },
    ]);
  });

  it('makes a block of the text where the list has none', () => {
    expect(edited([{ type: 'picture', url: 'u' }])).toEqual([{ type: 'words', said: 'less' }]);
  });

  it('makes a text of a text', () => {
    expect(edited('long')).toBe('less');
  });
});
