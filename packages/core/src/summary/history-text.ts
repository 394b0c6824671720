import { callInputValue, jsonText, resultText, stringLeaves } from '../transcript/entry-text.ts';
import { cutHead, cutTail, oneLine } from '../text/cut-text.ts';
import { neutral } from '../text/quote.ts';
import type { CallPart, Entry, MediaPart, Part, ResultPart } from '../transcript/entry.ts';

/** How much of each message the summariser sees, in characters. */
export interface HistoryCaps {
  readonly messageChars: number;
  readonly resultChars: number;
  /** Most one closed exchange may take. */
  readonly exchangeChars: number;
}

/** Spec: each message at most 2 000 characters, each tool result 500. */
export const fullCaps: HistoryCaps = { messageChars: 2_000, resultChars: 500, exchangeChars: 40_000 };

/** What a summariser sees of these parts of a message: shortened, and with no tag of ours in it. */
export function messageBody({ parts }: Pick<Entry, 'parts'>, caps: HistoryCaps): string {
  const lines: string[] = [];
  for (const part of parts) {
    const line = partLine(part, caps);
    if (line !== '') lines.push(line);
  }
  return cut(neutral(lines.join('\n')), caps.messageChars);
}

type PartLines = {
  readonly [Type in Part['type']]: (part: Extract<Part, { type: Type }>, caps: HistoryCaps) => string;
};

const partLines: PartLines = {
  text: ({ text }, { messageChars }) => cut(text.trim(), messageChars),
  reasoning: () => '',
  call: callLine,
  result: resultLine,
  media: (part) => mediaLine(part),
  opaque: (part, { resultChars }) => `[${cut(jsonText(part.value), resultChars)}]`,
};

function partLine<Type extends Part['type']>(part: Extract<Part, { type: Type }>, caps: HistoryCaps): string {
  return partLines[part.type](part, caps);
}

const argumentShare = 0.5;

function callLine(part: CallPart, { resultChars }: HistoryCaps): string {
  const perValue = Math.max(12, Math.floor(resultChars * argumentShare));
  const values = stringsAndMore(callInputValue(part)).slice(0, 12);
  const shown = values
    .map(({ key, text }) => `${key === '' ? '' : `${key}: `}${oneLine(text, perValue)}`)
    .join(', ');
  return `[call ${oneLine(part.name, 80)}] ${cut(shown, resultChars)}`.trim();
}

/** Strings by key, and the other values of an object as JSON. */
function stringsAndMore(input: unknown): { key: string; text: string }[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return stringLeaves(input);
  return Object.entries(input as Record<string, unknown>).map(([key, value]) => ({
    key,
    text: typeof value === 'string' ? value : jsonText(value),
  }));
}

function resultLine(part: ResultPart, { resultChars }: HistoryCaps): string {
  const media = part.pieces.flatMap((piece) => (piece.type === 'media' ? mediaLine(piece) : []));
  const name = part.name === undefined ? '' : ` ${oneLine(part.name, 80)}`;
  return `[result${name}${part.isError ? ', failed' : ''}] ${[cut(resultText(part).trim(), resultChars), ...media].join(' ')}`.trim();
}

function mediaLine({ mediaType, filename }: MediaPart): string {
  return `[attached ${oneLine(mediaType, 60)}${filename === undefined ? '' : ` ${oneLine(filename, 120)}`}]`;
}

/** Head and tail of a text within a number of characters. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text.toWellFormed();
  if (maxChars < 40) return cutHead(text, maxChars).toWellFormed();
  const room = maxChars - 5;
  return `${cutHead(text, Math.ceil(room * 0.6))} […] ${cutTail(text, Math.floor(room * 0.4))}`.toWellFormed();
}
