import { cutHead } from '@throughline/core/internal';
import { addUsage, ChunkDeltas, faultOf } from '../../follow/follow-answer.ts';
import type { AgentEvent, AgentEvents, RunOutcome, TokenUsage } from '@throughline/agent';
import type { FailureKind } from '@throughline/ports';
import type { AnswerEnd } from '../../follow/follow-answer.ts';
import type { Ended, Finish, AnswerPiece } from '../wire/dialect.ts';
import type { Fault, FaultKind } from '../wire/request-fault.ts';

/** Arguments and errors of tools are shown so far. */
const longestShown = 300;

/**
 * The events of an answer as what a client of a model knows: text and reasoning. What the agent does with its tools is
 * told as reasoning, because a call that a client sees is one that it is to run.
 */
export class AnswerPieces {
  readonly #deltas = new ChunkDeltas();
  readonly #wantsReasoning: boolean;
  readonly #said = new Set<AnswerPiece['type']>();
  #usage: TokenUsage | undefined;

  constructor(wantsReasoning: boolean) {
    this.#wantsReasoning = wantsReasoning;
  }

  take(event: AgentEvent): readonly AnswerPiece[] {
    if (event.type === 'step:end') this.#usage = addUsage(this.#usage, event.data.usage);
    const piece = this.#pieceOf(event);
    return piece && piece.delta !== '' && (piece.type === 'text' || this.#wantsReasoning) ? [piece] : [];
  }

  /** How it ended: with what counts of it, or with a fault. */
  end(end: AnswerEnd): Ended | Fault {
    if (end.type === 'next-message') return { finish: 'stop', usage: this.#usage };
    if (end.type === 'removed')
      return { kind: 'upstream', message: 'The message was taken out of the queue.' };
    if (end.type === 'deleted') return { kind: 'upstream', message: 'The session was deleted.' };
    if (end.type === 'cut') return { kind: 'stopping', message: 'The server is shutting down.' };
    if (end.type === 'held')
      return {
        kind: 'upstream',
        message: 'The run before this message did not end well: the message waits.',
      };
    return faultIn(end.outcome) ?? { finish: finishOf(end.outcome), usage: this.#usage };
  }

  #pieceOf({ type, data }: AgentEvent): AnswerPiece | undefined {
    if (type === 'llm:chunk') return this.#say(data);
    if (type === 'llm:tool-call')
      return this.#aside(`[${data.toolName} ${truncated(JSON.stringify(data.args))}]`);
    if (type !== 'llm:tool-result' || data.success) return undefined;
    const text = data.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    return this.#aside(`[${data.toolName} failed: ${truncated(text)}]`);
  }

  #say(chunk: AgentEvents['llm:chunk']): AnswerPiece {
    const { delta, isFirst } = this.#deltas.take(chunk);
    return isFirst && delta !== '' ? this.#apart(chunk.chunkType, delta) : { type: chunk.chunkType, delta };
  }

  #aside(text: string): AnswerPiece {
    return this.#apart('reasoning', text);
  }

  /** Each part stands in a paragraph of its own. */
  #apart(type: AnswerPiece['type'], text: string): AnswerPiece {
    const isFirst = !this.#said.has(type);
    this.#said.add(type);
    return { type, delta: isFirst ? text : `\n\n${text}` };
  }
}

export function isFault(end: Ended | Fault): end is Fault {
  return 'kind' in end;
}

const finishes: Readonly<Record<Extract<RunOutcome, { type: 'completed' }>['finish'], Finish>> = {
  stop: 'stop',
  'tool-calls': 'stop',
  paused: 'stop',
  other: 'stop',
  length: 'length',
  'window-full': 'length',
  refusal: 'refusal',
};

function finishOf(outcome: RunOutcome): Finish {
  if (outcome.type === 'completed') return finishes[outcome.finish];
  return outcome.type === 'limit' && outcome.isConcluded ? 'stop' : 'length';
}

const kinds: Readonly<Record<FailureKind, FaultKind>> = {
  overflow: 'context-length',
  bytes: 'context-length',
  media: 'bad-request',
  rate: 'rate',
  // The key of the server, not of the client.
  auth: 'upstream',
  timeout: 'timeout',
  provider: 'upstream',
  cancelled: 'upstream',
};

function faultIn(outcome: RunOutcome): Fault | undefined {
  const message = faultOf(outcome) ?? '';
  if (outcome.type === 'failed') return { kind: kinds[outcome.failure.kind], message };
  if (outcome.type === 'cannot-fit') {
    const { requestTokens, usableTokens } = outcome;
    return {
      kind: 'context-length',
      message: `prompt is too long: ${requestTokens} tokens > ${usableTokens} maximum. ${message}`,
    };
  }
  if (outcome.type === 'cancelled') return { kind: 'upstream', message: 'The run was cancelled.' };
  return outcome.type === 'lost' || outcome.type === 'broken' ? { kind: 'server', message } : undefined;
}

function truncated(text: string): string {
  return text.length <= longestShown ? text : `${cutHead(text, longestShown)} …`;
}
