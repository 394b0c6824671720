import { valueAt } from '../json/json.ts';
import { writeJson } from '../json/write-json.ts';
import { callInputValue } from '../transcript/entry-text.ts';
import type { Entry, MediaPart, Part, ResultPart } from '../transcript/entry.ts';
import type { Composed, NeutralContent, NeutralMedia, NeutralPart, Synthetic } from './codec.ts';

/** Reads the data of a media part out of its wire block; `undefined` when the message holds neither data nor URL. */
type MediaReader = (block: unknown, part: MediaPart) => NeutralMedia['source'] | undefined;

type PartReader<Type extends Part['type']> = (
  part: Extract<Part, { type: Type }>,
  read: ReadMedia,
) => readonly NeutralPart[];
type ReadMedia = (part: MediaPart) => NeutralContent;

const readers: { readonly [Type in Part['type']]: PartReader<Type> } = {
  text: ({ text }) => [{ type: 'text', text }],
  reasoning: ({ text }) => (text === '' ? [] : [{ type: 'reasoning', text }]),
  call: (call) => [{ type: 'call', callId: call.callId, name: call.name, input: callInputValue(call) }],
  result: (part, read) => [neutralResult(part, read)],
  media: (part, read) => [read(part)],
  opaque: () => [],
};

/**
 * The neutral content of an entry. Opaque parts and encrypted reasoning have none; media of which the message holds
 * only a foreign reference becomes a text that names it.
 */
export function neutralParts(entry: Entry, readMedia: MediaReader): readonly NeutralPart[] {
  const read: ReadMedia = (part) => {
    const source = readMedia(valueAt(entry.wire, part.at), part);
    const { mediaType, filename } = part;
    if (!source) return { type: 'text', text: mediaStub(part) };
    return { type: 'media', mediaType, source, ...(filename !== undefined && { filename }) };
  };
  return entry.parts.flatMap((part) => (readers[part.type] as PartReader<Part['type']>)(part, read));
}

function neutralResult(part: ResultPart, read: ReadMedia): NeutralPart {
  const content = part.pieces.map((piece): NeutralContent => {
    if (piece.type === 'media') return read(piece);
    return { type: 'text', text: piece.type === 'text' ? piece.text : jsonText(piece.value) };
  });
  return { type: 'result', callId: part.callId, name: part.name ?? '', content, isError: part.isError };
}

/** JSON text of a value that another format has no block for; of one that is not JSON, what it is. */
function jsonText(value: unknown): string {
  try {
    return value === undefined ? '' : writeJson(value);
  } catch {
    return `[${typeof value}]`;
  }
}

/** What stands in the place of media that cannot be said. */
export function mediaStub({ mediaType, filename }: Pick<NeutralMedia, 'mediaType' | 'filename'>): string {
  return filename === undefined ? `[${mediaType}]` : `[${mediaType}: ${filename}]`;
}

export type NeutralResult = Extract<NeutralPart, { type: 'result' }>;

/** Everything a message says beside tool results. */
export type NeutralSpeech = Exclude<NeutralPart, { type: 'result' }>;

/** A part and its position among the parts of the synthetic message, for the path of a loss. */
export interface Placed<Part> {
  readonly part: Part;
  readonly index: number;
}

type Run =
  | { readonly type: 'results'; readonly results: readonly Placed<NeutralResult>[] }
  | { readonly type: 'speech'; readonly parts: readonly Placed<NeutralSpeech>[] };

/** What a part becomes in a format, and why something of it is left out. */
export interface Said<Block> {
  readonly blocks: readonly Block[];
  readonly reasons?: readonly string[];
}

/**
 * Results and everything else in turn, in the order they were said. An assistant may say more after a result (the
 * provider ran the tool); elsewhere results answer what came before and stand first.
 */
export function runsOf(item: Synthetic): Run[] {
  const placed = item.parts.map((part, index) => ({ part, index }));
  const isResult = ({ part }: Placed<NeutralPart>): boolean => part.type === 'result';
  const ordered =
    item.role === 'assistant'
      ? placed
      : [...placed.filter(isResult), ...placed.filter((one) => !isResult(one))];
  const runs: { type: Run['type']; items: Placed<NeutralPart>[] }[] = [];
  for (const one of ordered) {
    const type = isResult(one) ? 'results' : 'speech';
    const last = runs.at(-1);
    if (last?.type === type) last.items.push(one);
    else runs.push({ type, items: [one] });
  }
  return runs.map(({ type, items }) =>
    type === 'results'
      ? { type, results: items as Placed<NeutralResult>[] }
      : { type, parts: items as Placed<NeutralSpeech>[] },
  );
}

/** How a format writes the results of a run, and what else a role says. */
export interface Writers<Message> {
  readonly results: (results: readonly Placed<NeutralResult>[]) => Composed<Message>;
  readonly system: (parts: readonly Placed<NeutralSpeech>[]) => Composed<Message>;
  readonly user: (parts: readonly Placed<NeutralSpeech>[]) => Composed<Message>;
  readonly assistant: (parts: readonly Placed<NeutralSpeech>[]) => Composed<Message>;
}

/** Results become messages of their own, and the rest messages of the role between them. */
export function composeRuns<Message>(item: Synthetic, writers: Writers<Message>): Composed<Message> {
  const write = writers[item.role === 'tool' ? 'user' : item.role];
  return joinComposed(
    runsOf(item).map((run) => (run.type === 'results' ? writers.results(run.results) : write(run.parts))),
  );
}

/** Says each part in turn. Losses carry the path of their part. */
export function sayAll<Part, Block>(
  parts: readonly Placed<Part>[],
  say: (part: Part) => Said<Block>,
): Composed<Block> {
  const said = parts.map(({ part, index }) => ({ ...say(part), path: `parts[${index}]` }));
  return {
    messages: said.flatMap(({ blocks }) => blocks),
    losses: said.flatMap(({ reasons = [], path }) => reasons.map((reason) => ({ path, reason }))),
  };
}

/** Says what one part consists of, as the content of a result. */
export function sayContent<Part, Block>(
  content: readonly Part[],
  say: (part: Part) => Said<Block>,
): Required<Said<Block>> {
  const said = content.map(say);
  return {
    blocks: said.flatMap(({ blocks }) => blocks),
    reasons: said.flatMap(({ reasons = [] }) => reasons),
  };
}

/** One message of all blocks; none where there are none. */
export function inOneMessage<Block, Message>(
  { messages: blocks, losses }: Composed<Block>,
  write: (blocks: readonly Block[]) => Message,
): Composed<Message> {
  return { messages: blocks.length === 0 ? [] : [write(blocks)], losses };
}

export type TextBlock = { type: 'text'; text: string };

export function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** Most formats refuse an empty text block. */
export function sayText(text: string): Said<TextBlock> {
  return { blocks: text === '' ? [] : [textBlock(text)] };
}

/** Where a message holds nothing but text. */
export function sayOnlyText(part: NeutralSpeech): Said<TextBlock> {
  if (part.type === 'text') return sayText(part.text);
  if (part.type !== 'media') return onlyOfAssistants(part);
  return { blocks: [textBlock(mediaStub(part))], reasons: [`no ${part.mediaType} in this role`] };
}

/** One message whose content is a text. */
export function inOneText<Part, Message>(
  parts: readonly Placed<Part>[],
  say: (part: Part) => Said<TextBlock>,
  write: (text: string) => Message,
): Composed<Message> {
  return inOneMessage(sayAll(parts, say), (texts) => write(texts.map(({ text }) => text).join('\n\n')));
}

/** One text is written as a text: the form that every server takes. */
export function shortest<Block extends { readonly type: string }>(
  blocks: readonly Block[],
): string | Block[] {
  const [first] = blocks;
  if (!first) return '';
  return blocks.length === 1 && isTextBlock(first) ? first.text : [...blocks];
}

function isTextBlock(block: { readonly type: string }): block is { type: string; text: string } {
  return block.type === 'text' || block.type === 'input_text';
}

/** What was composed piece by piece, in one. */
export function joinComposed<Message>(pieces: readonly Composed<Message>[]): Composed<Message> {
  return {
    messages: pieces.flatMap(({ messages }) => messages),
    losses: pieces.flatMap(({ losses }) => losses),
  };
}

/** For formats whose results cannot say that they are errors. */
export function errorReasons({ isError }: NeutralResult): readonly string[] {
  return isError ? ['results have no error flag here'] : [];
}

/** The arguments of a call as JSON text; text that did not parse stays as it is. */
export function argumentsText(input: unknown): string {
  return typeof input === 'string' ? input : jsonText(input ?? {});
}

/** Calls and reasoning in a message of anybody else. */
export function onlyOfAssistants({ type }: { readonly type: 'call' | 'reasoning' }): Said<never> {
  return {
    blocks: [],
    reasons: [type === 'call' ? 'only an assistant calls tools' : 'only an assistant thinks'],
  };
}
