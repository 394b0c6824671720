import { valueAt } from '../json/json.ts';
import { writeJson } from '../json/write-json.ts';
import { callInputValue } from '../transcript/entry-text.ts';
import type { Entry, MediaPart, Part, ResultPart } from '../transcript/entry.ts';
import type { Composed, Loss, NeutralContent, NeutralMedia, NeutralPart, Synthetic } from './codec.ts';

/** Reads the data of a media part out of its wire block; `undefined` when the message holds neither data nor URL. */
type MediaReader = (block: unknown, part: MediaPart) => NeutralMedia['source'] | undefined;

type Readers = {
  readonly [Type in Part['type']]: (
    part: Extract<Part, { type: Type }>,
    read: ReadMedia,
  ) => readonly NeutralPart[];
};
type ReadMedia = (part: MediaPart) => NeutralContent;

const readers: Readers = {
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
  return entry.parts.flatMap((part) => neutralPart(part, read));
}

function neutralPart<Type extends Part['type']>(
  part: Extract<Part, { type: Type }>,
  read: ReadMedia,
): readonly NeutralPart[] {
  const reader = readers[part.type] as (
    part: Extract<Part, { type: Type }>,
    read: ReadMedia,
  ) => readonly NeutralPart[];
  return reader(part, read);
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

/** What one part becomes in a format: blocks, and a reason when something of it is left out. */
export interface Said<Block> {
  readonly blocks: readonly Block[];
  readonly reason?: string;
}

/** What several parts become, and what is lost of them. */
export interface SaidAll<Block> {
  readonly blocks: readonly Block[];
  readonly losses: readonly Loss[];
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

/** Says each part in turn. Losses carry the path of their part. */
export function sayAll<Part, Block>(
  parts: readonly Placed<Part>[],
  say: (part: Part) => Said<Block>,
): SaidAll<Block> {
  const blocks: Block[] = [];
  const losses: Loss[] = [];
  for (const { part, index } of parts) {
    const said = say(part);
    for (const block of said.blocks) blocks.push(block);
    if (said.reason !== undefined) losses.push({ path: `parts[${index}]`, reason: said.reason });
  }
  return { blocks, losses };
}

/** Says the content of one result, all under the path of that result. */
export function sayContent<Part, Block>(
  content: readonly Part[],
  index: number,
  say: (part: Part) => Said<Block>,
): SaidAll<Block> {
  return sayAll(
    content.map((part) => ({ part, index })),
    say,
  );
}

/** A message of what was said; none where nothing was. */
export function composed<Block, Message>(
  { blocks, losses }: SaidAll<Block>,
  write: (blocks: readonly Block[]) => Message,
): Composed<Message> {
  return { messages: blocks.length === 0 ? [] : [write(blocks)], losses };
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
export function errorLosses({ part, index }: Placed<NeutralResult>): readonly Loss[] {
  return part.isError ? [{ path: `parts[${index}]`, reason: 'results have no error flag here' }] : [];
}

/** The arguments of a call as JSON text; text that did not parse stays as it is. */
export function argumentsText(input: unknown): string {
  return typeof input === 'string' ? input : jsonText(input ?? {});
}

/** Calls and reasoning in a message of anybody else. */
export function onlyOfAssistants({ type }: { readonly type: 'call' | 'reasoning' }): Said<never> {
  return {
    blocks: [],
    reason: type === 'call' ? 'only an assistant calls tools' : 'only an assistant thinks',
  };
}
