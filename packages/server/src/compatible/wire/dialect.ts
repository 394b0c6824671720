import { isObject } from '@throughline/core/codec';
import type { TokenUsage, UserPart } from '@throughline/agent';
import type { Fault, Shape } from './request-fault.ts';

/** A piece of an answer, in the order in which it is said. */
export interface AnswerPiece {
  readonly type: 'text' | 'reasoning';
  readonly delta: string;
}

export type Finish = 'stop' | 'length' | 'refusal';

/** How an answer ended that was not cut off by a fault. */
export interface Ended {
  readonly finish: Finish;
  /** What all requests used that the agent made for it; `undefined` where the provider has counted nothing. */
  readonly usage: TokenUsage | undefined;
}

/** What every answer tells of itself. */
export interface About {
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
  /** Estimated tokens of the conversation, until the provider has counted. */
  readonly estimatedTokens: number;
  readonly wantsUsage: boolean;
  readonly previousResponseId: string | undefined;
}

/** An answer that is streamed, as frames of server-sent events. */
export interface FrameWriter {
  begin(): string;
  take(piece: AnswerPiece): string;
  end(ended: Ended): string;
  fail(fault: Fault): string;
}

/** One of the APIs that people already speak. Pure: what comes in and what goes out. */
export interface Dialect extends Shape {
  readonly path: string;
  /** What the ids of its answers begin with. */
  readonly idPrefix: string;
  /** @throws {RequestFault} */
  read(body: unknown): ModelAsk;
  write(about: About): FrameWriter;
  /** The same answer in one piece. */
  whole(about: About, pieces: readonly AnswerPiece[], ended: Ended): object;
}

/** Pieces of the same kind that follow each other are one. */
export function joinPieces(pieces: readonly AnswerPiece[]): readonly AnswerPiece[] {
  const joined: AnswerPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.type === piece.type) joined[joined.length - 1] = { ...last, delta: last.delta + piece.delta };
    else joined.push(piece);
  }
  return joined;
}

export function textOf(pieces: readonly AnswerPiece[], type: AnswerPiece['type'] = 'text'): string {
  return pieces.map((piece) => (piece.type === type ? piece.delta : '')).join('');
}

/** A turn of the conversation as a client sends it: everything is sent anew with every request. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  /** Calls and results of a former agent are texts. */
  readonly parts: readonly UserPart[];
}

/** What a request of any of the three APIs asks for. */
export interface ModelAsk {
  readonly model: string;
  /** All system text of the request, in its order; may be empty. */
  readonly instructions: string;
  readonly earlier: readonly Turn[];
  /** What is said now: everything of the user behind the last answer. */
  readonly content: readonly UserPart[];
  readonly isStreamed: boolean;
  /** Reasoning, and what the agent does with its tools, is wanted beside the answer. */
  readonly wantsReasoning: boolean;
  /** A stream ends with its usage. */
  readonly wantsUsage: boolean;
  /** Id of the answer that this one follows, where the client names it instead of sending it. */
  readonly previousResponseId?: string;
  /** How it is asked, beside what is said: turns of one conversation have the same. */
  readonly manner: string;
  /** Fields that the agent does not obey. */
  readonly ignored: readonly string[];
}

/** The turns of a request in order; those of the same role that follow each other are one. */
export function joinTurns(turns: readonly Turn[]): readonly Turn[] {
  const joined: { readonly role: Turn['role']; readonly parts: UserPart[] }[] = [];
  for (const { role, parts } of turns) {
    const last = joined.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else joined.push({ role, parts: [...parts] });
  }
  return joined;
}

type Fields = Readonly<Record<string, unknown>>;

/** An answer that may be no longer than this is no turn of a conversation. */
const mostTokensBeside = 256;

/**
 * How a program asks, beside what it says: with tools or without, how warm, in which format, for a few
 * tokens only. Turns of one conversation are asked in one manner; a call on the side (for a title, a suggestion), which
 * sends the same history, in another. What changes from turn to turn (limits by what is left, texts of instructions,
 * whether it is streamed) is no part of it.
 */
export function mannerOf(fields: Fields): string {
  const { tools, tool_choice: choice, temperature, response_format: format, text } = fields;
  const limits = [fields['max_tokens'], fields['max_completion_tokens'], fields['max_output_tokens']];
  return JSON.stringify([
    Array.isArray(tools) && tools.length > 0 && choice !== 'none',
    typeof temperature === 'number' ? temperature : null,
    typeIn(format) ?? typeIn(isObject(text) ? text['format'] : undefined) ?? 'text',
    limits.some((limit) => typeof limit === 'number' && limit <= mostTokensBeside),
  ]);
}

function typeIn(format: unknown): string | undefined {
  return isObject(format) && typeof format['type'] === 'string' ? format['type'] : undefined;
}
