import { splitJsonArray, writeJson } from '@throughline/core/internal';
import { objectOf, textOf } from '../recording/json-value.ts';
import { derivedHex } from '../write/derived-id.ts';
import { editSlice, setList } from '../write/edit-slice.ts';
import type { Path } from '@throughline/core/codec';
import type { LinesDocument, SourceLine } from '../recording/recording.ts';
import type { WriteRequest } from '../recording/format.ts';

type Request = WriteRequest<LinesDocument>;

/**
 * JSONL of messages or of requests that holds the view: a message per line, or the one line of the session's request
 * with its list replaced and all other lines as they were. Unchanged messages keep their bytes.
 */
export function writeWireLines(request: Request): string[] {
  const [origin] = request.session.origins;
  if (origin?.type === 'line' && origin.at.length > 0)
    return writeHolderLine(request, origin.line, origin.at.slice(0, -1));
  const isMessageLine = new Set(request.session.origins.map((one) => (one.type === 'line' ? one.line : -1)));
  const first = Math.min(...isMessageLine);
  const head = request.document.lines.slice(0, first).map(({ text }) => text);
  return [...head, ...messageTexts(request, (line) => line)];
}

function writeHolderLine(request: Request, line: number, array: Path): string[] {
  const { lines } = request.document;
  const text = lines[line]?.text ?? '';
  const edited = editedHolder(request, text, array);
  return lines.map((one, index) => (index === line ? edited : one.text));
}

function editedHolder(request: Request, text: string, array: Path): string {
  const spans = splitJsonArray(text, array)?.items;
  const [first] = spans ?? [];
  const last = spans?.at(-1);
  if (!spans || !first || !last) return setList(text, array, request.view) ?? text;
  const messages = messageTexts(request, (_, at) => {
    const span = spans[Number(at.at(-1))];
    return span ? { text: text.slice(span.start, span.end) } : undefined;
  });
  return text.slice(0, first.start) + messages.join(',') + text.slice(last.end);
}

type FindText = (
  line: SourceLine | undefined,
  at: readonly (string | number)[],
) => { readonly text: string } | undefined;

function messageTexts({ document, session, view }: Request, find: FindText): string[] {
  return view.map((item) => {
    const origin = item.type === 'original' ? session.origins[item.index] : undefined;
    const source = origin?.type === 'line' ? find(document.lines[origin.line], origin.at) : undefined;
    if (item.type === 'written') return writeJson(completed(item.message, session.codec.name));
    if (source === undefined) return writeJson(item.message);
    if (!item.isEdited) return source.text;
    const original = session.messages[item.index];
    return editSlice(source.text, [], { original, edited: item.message }) ?? writeJson(item.message);
  });
}

/** Messages of our own sessions have an id, which the codec leaves to whoever stores them. */
function completed(message: unknown, codec: string): unknown {
  if (codec !== 'session') return message;
  const value = objectOf(message);
  return { ...value, id: textOf(value['id']) ?? derivedHex(writeJson(value)).slice(0, 16) };
}
