import { splitJsonArray, writeJson } from '@throughline/core/internal';
import { editSlice, setList } from './edit-slice.ts';
import { nearestOriginal } from '../recording/format.ts';
import type { Path } from '@throughline/core/codec';
import type { CompleteMessage, WriteRequest } from '../recording/format.ts';
import type { JsonDocument } from '../recording/recording.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

const asWritten: CompleteMessage = (message) => message;

/**
 * The file with the elements of one array replaced by the view. Everything around the array keeps its bytes, and so
 * does each unchanged element and the space between neighbours that were neighbours before. New elements are laid
 * out like the rest of the file.
 */
export function writeElements(
  { document, session, view }: WriteRequest<JsonDocument>,
  complete: CompleteMessage = asWritten,
): string | undefined {
  const array = session.origins.find((origin) => origin.type === 'element')?.array;
  const spans = array && splitJsonArray(document.text, array)?.items;
  const [first] = spans ?? [];
  const last = spans?.at(-1);
  if (array && !spans) return setList(document.text, array, view);
  if (!array || !spans || !first || !last) return undefined;
  const layout = layoutOf(document.text, spans, array.length + 1);
  let text = document.text.slice(0, first.start);
  let before: unknown;
  let previous = -2;
  for (const [position, item] of view.entries()) {
    const place = item.type === 'original' ? indexIn(session, item.index) : -2;
    if (position > 0)
      text += place === previous + 1 ? between(document.text, spans, previous) : layout.separator;
    const span = spans[place];
    if (item.type === 'original' && span) {
      const slice = document.text.slice(span.start, span.end);
      const original = session.messages[item.index];
      text += item.isEdited
        ? (editSlice(slice, [], { original, edited: item.message }) ?? layout.print(item.message))
        : slice;
      before = item.message;
    } else {
      const nearest = session.messages[nearestOriginal(view, position) ?? 0];
      before = complete(item.message, { before, nearest, position });
      text += layout.print(before);
    }
    previous = place;
  }
  return text + document.text.slice(last.end);
}

function indexIn(session: WriteRequest['session'], message: number): number {
  const origin = session.origins[message];
  return origin?.type === 'element' ? origin.index : -2;
}

function between(text: string, spans: readonly Span[], index: number): string {
  return text.slice(spans[index]?.end ?? 0, spans[index + 1]?.start ?? 0);
}

interface Layout {
  readonly separator: string;
  print(value: unknown): string;
}

/** How the file sets out its elements: on one line, or indented by so much. */
function layoutOf(text: string, spans: readonly Span[], depth: number): Layout {
  const start = spans[0]?.start ?? 0;
  const lead = /\s*$/.exec(text.slice(Math.max(0, start - longestIndent), start))?.[0] ?? '';
  const separator = spans.length > 1 ? between(text, spans, 0) : `,${lead}`;
  const lineBreak = lead.lastIndexOf('\n');
  if (lineBreak < 0) return { separator, print: (value) => writeJson(value) };
  const indent = lead.slice(lineBreak + 1);
  const unit =
    indent.length > 0 && indent.length % depth === 0 ? indent.slice(0, indent.length / depth) : '  ';
  const newLine = lead.slice(0, lineBreak).endsWith('\r') ? '\r\n' : '\n';
  return {
    separator,
    print: (value) =>
      writeJson(value, unit)
        .split('\n')
        .join(newLine + indent),
  };
}

const longestIndent = 200;

/** Whether a session's messages are elements of one array of the file. */
export function hasArray(session: WriteRequest['session'], array?: Path): boolean {
  const [first] = session.origins;
  if (first?.type !== 'element') return false;
  return array === undefined || first.array.join('\0') === array.join('\0');
}
