import type { WireObject } from '../../judge/wire-value.ts';
import type { CacheUse } from '../model/prefix-cache.ts';
import type { PromptPart } from '../model/prompt-tokens.ts';
import type { Answer, AskedMessage } from '../model/scripted-answer.ts';

/** What a body says, read the same way for all dialects. */
export interface ReadRequest {
  readonly model: string;
  readonly isStreaming: boolean;
  readonly maxTokens: number | undefined;
  /** Chat sends usage in a stream only to those who ask for it. */
  readonly wantsUsage: boolean;
  readonly messages: readonly AskedMessage[];
  readonly toolNames: readonly string[];
  readonly parts: readonly PromptPart[];
}

/** One event of a stream. Chat names none. */
export interface WireEvent {
  readonly event?: string;
  readonly data: string;
}

/** What an answer is written from, the same for all dialects. */
export interface Written {
  readonly id: string;
  readonly model: string;
  readonly answer: Answer;
  readonly use: CacheUse;
  readonly wantsUsage: boolean;
  /** How a window that is full is told, per dialect; see `servers.ts`. */
  readonly wall: WallWords;
  readonly form: EventForm;
}

export interface WallWords {
  readonly messages: 'model_context_window_exceeded' | 'max_tokens';
  readonly responses: 'incomplete' | 'completed';
}

/** Deviations of a stream's events that real servers show. */
export interface EventForm {
  /** The start of a stream of Messages says 0 tokens, and its end the truth. */
  readonly hasZeroUsageAtStart: boolean;
  /** The arguments of a call come whole, in Responses only in `…arguments.done`. */
  readonly hasWholeArguments: boolean;
  /** Chat: the index of the first call. */
  readonly firstCallIndex: number;
  /** No `[DONE]`, `message_stop` or `response.completed`. */
  readonly hasNoEnd: boolean;
}

export interface Dialect {
  readonly path: string;
  readonly countPath: string;
  /** Name of the list of messages in the body. */
  readonly list: 'messages' | 'input';
  read(body: WireObject): ReadRequest;
  events(written: Written): WireEvent[];
  body(written: Written): WireObject;
  /** The answer to a request for a count. */
  count(tokens: number): WireObject;
  refusal(refusal: Refusal): WireObject;
  /** The same inside a stream that has begun. */
  errorEvent(refusal: Refusal): WireEvent;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string | null;
  readonly param?: string | null;
}

/** The deltas of a text: a word each. */
export function deltasOf(text: string): readonly string[] {
  return text.match(/\s*\S+(?:\s+$)?|\s+/g) ?? [];
}

/** The deltas of arguments, which break anywhere. */
export function sliceDeltas(text: string): readonly string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? [];
}

export function objectsOf(value: unknown): readonly WireObject[] {
  return Array.isArray(value)
    ? (value as unknown[]).filter((item): item is WireObject => typeof item === 'object' && item !== null)
    : [];
}

/** All text of a content, its blocks joined by nothing. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
