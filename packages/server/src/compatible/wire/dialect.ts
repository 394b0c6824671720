import type { TokenUsage } from '@throughline/agent';
import type { ModelAsk } from './model-ask.ts';
import type { Fault } from './request-fault.ts';

/** A piece of an answer, in the order in which it is said. */
export interface Piece {
  readonly type: 'text' | 'reasoning';
  readonly delta: string;
}

export type Finish = 'stop' | 'length' | 'refusal';

/** How an answer ended that was not cut off by a fault. */
export interface Ended {
  readonly finish: Finish;
  /** Of all requests the agent made for it; `undefined` where the provider has counted nothing. */
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
  take(piece: Piece): string;
  end(ended: Ended): string;
  fail(fault: Fault): string;
}

/** One of the APIs that people already speak. Pure: what comes in and what goes out. */
export interface Dialect {
  readonly path: string;
  /** Of the ids of its answers. */
  readonly idPrefix: string;
  /** @throws {RequestFault} */
  read(body: unknown): ModelAsk;
  write(about: About): FrameWriter;
  /** The same answer in one piece. */
  whole(about: About, pieces: readonly Piece[], ended: Ended): object;
  fault(fault: Fault): object;
}

/** Pieces of the same kind that follow each other are one. */
export function joinPieces(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.type === piece.type) joined[joined.length - 1] = { ...last, delta: last.delta + piece.delta };
    else joined.push(piece);
  }
  return joined;
}

export function textOf(pieces: readonly Piece[], type: Piece['type'] = 'text'): string {
  return pieces.map((piece) => (piece.type === type ? piece.delta : '')).join('');
}
