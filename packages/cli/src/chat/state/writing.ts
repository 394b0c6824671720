import { flow } from './block.ts';
import { printableLines } from '../../terminal/text.ts';
import type { Block, Tone } from './block.ts';
import type { Writing } from './chat-state.ts';

interface Written {
  readonly writing: Writing;
  readonly blocks: readonly Block[];
}

const longestReasoning = 8_000;
const fence = /^\s*(?:```|~~~)/;
const heading = /^#{1,6} /;

/** More of the part: rows that are full or ended are blocks, the rest is its tail. */
export function write(writing: Writing, delta: string, columns: number): Written {
  if (writing.chunkType === 'reasoning') {
    return { writing: { ...writing, tail: truncated(writing.tail + delta) }, blocks: [] };
  }
  const [first = '', ...others] = printableLines(delta);
  let line = { ...writing, tail: writing.tail + first };
  const blocks: Block[] = [];
  for (const next of others) {
    const settled = settle(line, columns);
    blocks.push(...settled.blocks, blockOf(settled.writing));
    line = { ...nextLine(settled.writing), tail: next };
  }
  const settled = settle(line, columns);
  return { writing: settled.writing, blocks: [...blocks, ...settled.blocks] };
}

/** The part is over, or another goes on: what is left of it. */
export function finish(writing: Writing): readonly Block[] {
  if (writing.tail.trim() === '') return [];
  if (writing.chunkType === 'text') return [blockOf(toned(writing))];
  return [
    {
      speaker: 'reasoning',
      tone: 'faint',
      mark: '✻ ',
      text: writing.tail.trim(),
      fold: { head: 2, tail: 0 },
    },
  ];
}

/** Full rows of the line become blocks. */
function settle(writing: Writing, columns: number): Written {
  const line = toned(writing);
  const pieces = flow(line.tail, columns);
  const tail = pieces.at(-1) ?? '';
  return {
    writing: { ...line, tail, isLineBegun: line.isLineBegun || pieces.length > 1 },
    blocks: pieces.slice(0, -1).map((text) => blockOf({ ...line, tail: text })),
  };
}

/** How a line looks is seen at its beginning. */
function toned(writing: Writing): Writing {
  if (writing.isLineBegun) return writing;
  const { tail, isFenced } = writing;
  const tone: Tone = isFenced || fence.test(tail) ? 'code' : heading.test(tail) ? 'heading' : 'plain';
  return { ...writing, tone };
}

function nextLine(writing: Writing): Writing {
  const isMark = !writing.isLineBegun && fence.test(writing.tail);
  return {
    ...writing,
    tail: '',
    tone: 'plain',
    isLineBegun: false,
    isFenced: isMark ? !writing.isFenced : writing.isFenced,
  };
}

function blockOf({ tail, tone }: Writing): Block {
  return { speaker: 'text', tone, text: tail };
}

function truncated(text: string): string {
  if (text.length <= longestReasoning) return text;
  return `${text.slice(0, longestReasoning / 4)} … ${text.slice(-longestReasoning / 2)}`;
}
