import { editText } from '@throughline/core/codec';
import { fingerprintEntry, sameMessage } from '@throughline/core/internal';
import { readRecording, targetNames, writeRecording } from '@throughline/importers';
import { sessionIn } from './find-history.ts';
import { usageFailure } from '../outcome/failure.ts';
import type { SessionHistory } from './history.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { Loss } from '@throughline/core/codec';
import type { RenderedMessage } from '@throughline/core/types';
import type { RecordedSession, TargetName, ViewMessage, WrittenRecording } from '@throughline/importers';

export interface WriteRequest {
  /** A format for a request; by default that of the file. */
  readonly to: TargetName | undefined;
  /** What a request may ask for as an answer, where its format wants that said. */
  readonly answerTokens: number;
}

/** The messages of a view as the text of a file: one like the file that was read, or a request in the format `to`. */
export async function writeView(
  opened: OpenedSession,
  history: SessionHistory,
  messages: readonly RenderedMessage<unknown>[],
  { to, answerTokens }: WriteRequest,
): Promise<WrittenView> {
  const { recording, session } = opened;
  const written = history.converted
    ? await writeConverted(opened, history, messages, to)
    : writeRecording(recording, session, toViewMessages(messages, history, session.messages), asked(to));
  return to === 'anthropic' ? { ...written, text: withMaxTokens(written.text, answerTokens) } : written;
}

/** Rendered messages as items of the file that was read, so that what did not change keeps its bytes. */
function toViewMessages(
  rendered: readonly RenderedMessage<unknown>[],
  history: SessionHistory,
  fileMessages: readonly unknown[],
): ViewMessage[] {
  const used = new Set<number>();
  return rendered.map(({ ordinal, message }) => {
    const index = ordinal === undefined ? undefined : history.indexOf(ordinal);
    // A repair may split a message in two: only one of them can take the place of the original.
    if (index === undefined || index >= fileMessages.length || used.has(index))
      return { type: 'written', message };
    used.add(index);
    const original = fileMessages[index];
    const isSame = original === message || sameMessage(original, message);
    return { type: 'original', index, message: isSame ? original : message, isEdited: !isSame };
  });
}

/** The API answers no request that does not say how long the answer may be. */
function withMaxTokens(text: string, answerTokens: number): string {
  const body = JSON.parse(text) as unknown;
  if (typeof body !== 'object' || body === null || Array.isArray(body) || 'max_tokens' in body) return text;
  const isIndented = text.startsWith('{\n  "');
  if (isIndented) return `{\n  "max_tokens": ${answerTokens},${text.slice(1)}`;
  return editText(text, [{ at: ['max_tokens'], set: answerTokens }]) ?? text;
}

function asked(to: TargetName | undefined): { readonly to?: TargetName } {
  return to === undefined ? {} : { to };
}

/** A file that was written, and what each of its messages was before it came to stand there as it is. */
interface WrittenView extends WrittenRecording {
  /** Fingerprints of the messages as they were converted, where those of the file may say more. */
  readonly keys?: readonly string[];
}

/**
 * The messages of a view as the text of a file whose codec is not that of the history, or as a request: converted, and
 * what the file holds of them already is kept as it stands there.
 */
async function writeConverted(
  opened: OpenedSession,
  history: SessionHistory,
  rendered: readonly RenderedMessage<unknown>[],
  to: TargetName | undefined,
): Promise<WrittenView> {
  const { recording, session } = opened;
  const messages = rendered.map(({ message }) => message);
  if (to !== undefined && to !== recording.format) return convert(opened, history, messages, to);
  const target = targetNames.find((name) => name === session.codec.name);
  if (target === undefined) throw usageFailure(`${opened.file} cannot be written back: give --to FORMAT.`);
  const converted = await convertBack(opened, history, messages, target);
  const view = await onFile(opened, history, converted.messages, target);
  const written = writeRecording(recording, session, view, to === undefined ? {} : { to });
  const keys = converted.messages.map(keyIn(session));
  return { ...written, keys, losses: [...converted.losses, ...written.losses] };
}

/** Messages of the history as a request in another format. */
function convert(
  { recording, session }: OpenedSession,
  { origin, transcript }: SessionHistory,
  messages: readonly unknown[],
  to: TargetName,
): WrittenRecording {
  const own: RecordedSession = {
    ...sessionIn(session, { codec: transcript.codec, system: origin.system }),
    messages,
  };
  const view = messages.map((message): ViewMessage => ({ type: 'written', message }));
  return writeRecording({ ...recording, format: origin.format }, own, view, { to });
}

interface Converted {
  readonly messages: readonly unknown[];
  readonly losses: readonly Loss[];
}

/** Messages of the history as they read in the format of the file. */
async function convertBack(
  opened: OpenedSession,
  history: SessionHistory,
  messages: readonly unknown[],
  target: TargetName,
): Promise<Converted> {
  // The tools of the file stay where they are: none of them is lost.
  const session: RecordedSession = { ...opened.session, tools: [] };
  const { text, losses } = convert({ ...opened, session }, history, messages, target);
  const { sessions } = await readRecording(once(text), { name: opened.file, format: target });
  return { messages: sessions[0]?.messages ?? [], losses };
}

function keyIn({ codec }: RecordedSession): (message: unknown) => string {
  return (message) => fingerprintEntry(codec.decode(message, 0));
}

/**
 * Converted messages as items of the file: one that says what a message of the file says is that message. Those that
 * came since the file was written went into the history's format and back; they are known by what came back.
 */
async function onFile(
  opened: OpenedSession,
  history: SessionHistory,
  converted: readonly unknown[],
  target: TargetName,
): Promise<ViewMessage[]> {
  const { messages } = opened.session;
  const keyOf = keyIn(opened.session);
  const { since, from } = await cameBack(opened, history, target);
  const known = [
    ...messages.map(keyOf).entries(),
    ...(history.source?.file.output?.keys ?? []).entries(),
    ...since.map((message, index) => [from + index, keyOf(message)] as const),
  ];
  const places = Map.groupBy(known, ([, key]) => key);
  const used = new Set<number>();
  return converted.map((message) => {
    const left = places.get(keyOf(message)) ?? [];
    let [index] = left.shift() ?? [];
    while (index !== undefined && used.has(index)) [index] = left.shift() ?? [];
    if (index === undefined) return { type: 'written', message };
    used.add(index);
    return { type: 'original', index, message: messages[index], isEdited: false };
  });
}

/** What came since the file was written, as it reads after its way into the history's format and back. */
async function cameBack(
  opened: OpenedSession,
  history: SessionHistory,
  target: TargetName,
): Promise<{ readonly since: readonly unknown[]; readonly from: number }> {
  const { known = 0, written = 0 } = history.converted ?? {};
  const count = opened.session.messages.length - written;
  if (count === 0) return { since: [], from: written };
  const wires = history.transcript.conversation.entries.slice().map(({ wire }) => wire);
  const before = await convertBack(opened, history, wires.slice(0, known), target);
  const all = await convertBack(opened, history, wires, target);
  const since = all.messages.slice(before.messages.length);
  return { since: since.length === count ? since : [], from: written };
}

/** A text as the importers read it. */
export async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
