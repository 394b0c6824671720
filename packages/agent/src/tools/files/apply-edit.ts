export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export type Edited =
  | { readonly type: 'edited'; readonly text: string; readonly lines: readonly number[] }
  | { readonly type: 'not-found' }
  | { readonly type: 'ambiguous'; readonly lines: readonly number[]; readonly count: number };

const maxLines = 20;

/**
 * Replaces `oldText` by `newText` where it stands exactly once, or everywhere. Line ends do not matter for the search
 * and are those of the place in what is put there; all else stays byte for byte.
 */
export function applyEdit(text: string, { oldText, newText, replaceAll }: Edit): Edited {
  const plain = text.replaceAll('\r\n', '\n');
  const wanted = oldText.replaceAll('\r\n', '\n');
  const starts = findAll(plain, wanted, replaceAll ? wanted.length : 1);
  if (starts.length === 0) return { type: 'not-found' };
  const lines = linesOf(plain, starts.slice(0, maxLines));
  if (starts.length > 1 && !replaceAll) return { type: 'ambiguous', lines, count: starts.length };
  const spans = originalSpans(text, starts, wanted.length);
  return { type: 'edited', text: splice(text, spans, newText.replaceAll('\r\n', '\n')), lines };
}

function findAll(text: string, wanted: string, step: number): number[] {
  const starts: number[] = [];
  if (wanted === '') return starts;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) starts.push(at);
  return starts;
}

/** Numbers of the lines in which ascending positions lie. */
function linesOf(text: string, positions: readonly number[]): number[] {
  let line = 1;
  let seen = 0;
  return positions.map((position) => {
    for (let at = text.indexOf('\n', seen); at >= 0 && at < position; at = text.indexOf('\n', seen)) {
      line += 1;
      seen = at + 1;
    }
    return line;
  });
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where spans of the text without carriage returns lie in the text that has them. */
function originalSpans(text: string, starts: readonly number[], length: number): Span[] {
  if (!text.includes('\r\n')) return starts.map((start) => ({ start, end: start + length }));
  let next = text.indexOf('\r\n');
  let dropped = 0;
  // Positions come in ascending order: each line break is passed once.
  const original = (position: number): number => {
    while (next >= 0 && next - dropped < position) {
      dropped += 1;
      next = text.indexOf('\r\n', next + 2);
    }
    return position + dropped;
  };
  return starts.map((start) => ({ start: original(start), end: original(start + length) }));
}

function splice(text: string, spans: readonly Span[], newText: string): string {
  const crlf = newText.replaceAll('\n', '\r\n');
  const fileHasCrlf = text.includes('\r\n');
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of spans) {
    const replaced = text.slice(start, end);
    const isCrlf = replaced.includes('\n') ? replaced.includes('\r\n') : fileHasCrlf;
    pieces.push(text.slice(done, start), isCrlf ? crlf : newText);
    done = end;
  }
  return [...pieces, text.slice(done)].join('');
}
