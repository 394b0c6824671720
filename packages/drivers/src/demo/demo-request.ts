import {
  countTools,
  countValue,
  defaultMediaPricing,
  measureEntry,
  scriptAwareEstimator,
} from '@throughline/core';
import type { Codec, Entry, Meter } from '@throughline/core';
import type { StepRequest } from '@throughline/ports';

/** What the demo model reads in a request, whatever its format. */
export interface DemoRequest {
  /** What the user said last. */
  readonly said: string;
  /** Steps taken since. */
  readonly step: number;
  /** What the model said in its last step since. */
  readonly lastWords: string;
  /** Results of the last step, in their order. */
  readonly results: readonly DemoResult[];
  readonly tools: ReadonlySet<string>;
  readonly promptTokens: number;
}

export interface DemoResult {
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

const estimator = scriptAwareEstimator;
const meter: Meter = { estimator, media: defaultMediaPricing };

export function readDemoRequest(request: StepRequest, codec: Codec): DemoRequest {
  const entries = request.messages.map((message, index) => codec.decode(message, index));
  const asked = entries.findLastIndex((entry) => isSaidByUser(entry));
  const since = entries.slice(asked + 1);
  const asking = entries[asked];
  const { tools = [] } = request;
  return {
    said: asking ? textOf(asking) : '',
    step: stepsIn(since),
    lastWords:
      since
        .filter(({ role }) => role === 'assistant')
        .map(textOf)
        .findLast((text) => text !== '') ?? '',
    results: lastResults(since),
    tools: new Set(request.toolChoice === 'none' ? [] : tools.map(({ name }) => name)),
    promptTokens: countPrompt(request, entries),
  };
}

/** What stands in brackets is a note of a program. */
function isSaidByUser(entry: Entry): boolean {
  const text = textOf(entry);
  return entry.role === 'user' && text !== '' && !(text.startsWith('[') && text.endsWith(']'));
}

function textOf({ parts }: Entry): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}

/** In some formats a response is several messages: what counts is how often results came after calls. */
function stepsIn(entries: readonly Entry[]): number {
  const hasCall = entries.map(({ parts }) => parts.some(({ type }) => type === 'call'));
  return hasCall.filter((calls, index) => calls && hasCall[index + 1] !== true).length;
}

function lastResults(entries: readonly Entry[]): readonly DemoResult[] {
  const names = new Map<string, string>();
  for (const { parts } of entries) {
    for (const part of parts) if (part.type === 'call') names.set(part.callId, part.name);
  }
  const lastCall = entries.findLastIndex(({ parts }) => parts.some(({ type }) => type === 'call'));
  return entries.slice(lastCall + 1).flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== 'result') return [];
      const text = part.pieces.map((piece) => (piece.type === 'text' ? piece.text : `[${piece.type}]`));
      const name = part.name ?? names.get(part.callId) ?? 'tool';
      return [{ name, text: text.join('\n'), isError: part.isError }];
    }),
  );
}

function countPrompt({ system, tools = [] }: StepRequest, entries: readonly Entry[]): number {
  const messages = entries.reduce((sum, entry) => sum + measureEntry(entry, meter).tokens, 0);
  const rest = countTools(tools, estimator) + (system === undefined ? 0 : countValue(system, estimator));
  return Math.ceil(messages + rest);
}

/** Tokens of an answer. */
export function countAnswer(text: string): number {
  return text === '' ? 0 : Math.ceil(estimator.count(text));
}
