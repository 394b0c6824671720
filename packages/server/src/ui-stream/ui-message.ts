import { addUsage, ChunkDeltas, faultOf } from '../follow/follow-answer.ts';
import type { AgentEvent, AgentEvents, AgentEventType, RunOutcome, TokenUsage } from '@throughline/agent';
import type { AnswerEnd } from '../follow/follow-answer.ts';
import type { AnswerMetadata, CompactionData, QueueData, UiChunk } from './ui-chunk.ts';

/** A call of the agent, as far as the message shows it. */
interface ShownCall {
  readonly toolName: string;
  readonly input: unknown;
  readonly state: 'hidden' | 'running' | 'waiting' | 'denied' | 'done';
}

type Chunks = readonly UiChunk[];

type Handlers = {
  readonly [Type in AgentEventType]: (message: UiMessage, data: AgentEvents[Type], seq: number) => Chunks;
};

const nothing: Chunks = [];
const ignored = (): Chunks => nothing;

/** What each event adds to the message. A new event does not compile without a row. */
const handlers: Handlers = {
  'run:start': ignored,
  'run:end': ignored,
  'step:start': (message, data) => message.startStep(data),
  'step:end': (message, { usage }) => message.addStep(usage),
  'llm:thinking': ignored,
  'llm:chunk': (message, data) => message.say(data),
  'llm:response': ignored,
  'llm:tool-call': (message, data) => message.call(data),
  'tool:state': (message, { callId, state }) =>
    state === 'running' ? message.show(callId, 'running') : nothing,
  'tool:output': (_, { callId: toolCallId, delta }) => [
    { type: 'data-throughline-tool-output', transient: true, data: { toolCallId, delta } },
  ],
  'llm:tool-result': (message, data) => message.result(data),
  'llm:error': ignored,
  'llm:retry': (_, { attempt, reason }) => [notice(`Try ${attempt}: ${reason.message}`)],
  'llm:switched': (_, { newConfig: { provider, model } }) => [notice(`Goes on with ${provider}:${model}.`)],
  'llm:unsupported-input': (_, { fileType, provider, model }) => [
    notice(`${provider}:${model} does not take ${fileType}.`),
  ],
  'message:queued': ignored,
  'message:updated': ignored,
  'message:moved': ignored,
  'message:pinned': ignored,
  'message:removed': ignored,
  'message:dequeued': ignored,
  'context:usage': (_, data) => [{ type: 'data-throughline-usage', id: 'usage', data }],
  'context:overflow': ignored,
  'context:pruned': ignored,
  'context:repaired': ignored,
  'context:warning': (_, { message }) => [notice(message)],
  'compaction:start': (message, { reason, tokensBefore }, seq) =>
    message.startCompaction({ state: 'running', reason, tokensBefore }, seq),
  'compaction:phase': (message, { phase, progress }, seq) =>
    message.advanceCompaction({ phase, progress }, seq),
  'context:compressed': (message, data, seq) => message.endCompaction(completedOf(data), seq),
  'compaction:error': (message, { error }, seq) =>
    message.endCompaction({ state: 'failed', errorText: error.message }, seq),
  'compaction:cancelled': (message, _, seq) => message.endCompaction({ state: 'cancelled' }, seq),
  'compaction:undone': ignored,
  'compaction:redone': ignored,
  'approval:requested': (message, data) => message.ask(data),
  'approval:resolved': (message, data) => message.resolve(data),
  'session:updated': (_, { title }) => [{ type: 'data-throughline-title', transient: true, data: { title } }],
};

/**
 * One message of the assistant in the UI message stream of the AI SDK, made of the events of one answer. The same events
 * always make the same parts, so that a stream can be replayed, and gone on with behind any event.
 */
export class UiMessage {
  readonly #id: string;
  readonly #deltas = new ChunkDeltas();
  readonly #calls = new Map<string, ShownCall>();
  #metadata: AnswerMetadata;
  #step: number | undefined;
  #usage: TokenUsage | undefined;
  #compaction: { readonly id: string; readonly data: CompactionData } | undefined;

  constructor({ id, sessionId }: { readonly id: string; readonly sessionId: string }) {
    this.#id = id;
    this.#metadata = { sessionId };
  }

  /** Nothing more comes until the user has answered: the client ends the message, and goes on with the answer. */
  get isWaiting(): boolean {
    const states = [...this.#calls.values()].map(({ state }) => state);
    return states.includes('waiting') && !states.includes('running');
  }

  begin(): UiChunk {
    return { type: 'start', messageId: this.#id, messageMetadata: { throughline: this.#metadata } };
  }

  take<Type extends AgentEventType>(event: Extract<AgentEvent, { type: Type }>): Chunks {
    const handler: Handlers[Type] = handlers[event.type];
    this.#metadata = { ...this.#metadata, position: event.seq };
    return handler(this, event.data as AgentEvents[Type], event.seq);
  }

  end(end: AnswerEnd): Chunks {
    if (end.type === 'run-ended') return this.#endRun(end.outcome);
    if (end.type === 'next-message') return this.#finish('other');
    if (end.type === 'removed') return [queuePart({ state: 'removed' }), ...this.#finish('other')];
    if (end.type === 'deleted') return [{ type: 'error', errorText: 'The session was deleted.' }];
    if (end.type === 'cut')
      return [{ type: 'error', errorText: 'The stream was closed; the run goes on. Resume to follow it.' }];
    const why = faultOf(end.outcome) ?? 'it was cancelled';
    return [
      queuePart({ state: 'held' }),
      {
        type: 'error',
        errorText: `The run before this message did not end well (${why}): the message waits.`,
      },
    ];
  }

  /** Ends the message while calls wait for the user. */
  pause(): Chunks {
    return this.#finish('tool-calls');
  }

  startStep({ step, provider, model }: AgentEvents['step:start']): Chunks {
    const isOpen = this.#step !== undefined;
    this.#metadata = { ...this.#metadata, model: `${provider}:${model}` };
    // A request that was refused is sent again smaller: it is still the same step.
    if (this.#step === step) return nothing;
    this.#step = step;
    return [...(isOpen ? [{ type: 'finish-step' } as const] : []), { type: 'start-step' }];
  }

  addStep(usage: TokenUsage | null): Chunks {
    this.#usage = addUsage(this.#usage, usage);
    if (this.#usage) this.#metadata = { ...this.#metadata, usage: this.#usage };
    return [{ type: 'message-metadata', messageMetadata: { throughline: this.#metadata } }];
  }

  say(chunk: AgentEvents['llm:chunk']): Chunks {
    const { id, isFirst, delta, isLast } = this.#deltas.take(chunk);
    const { chunkType } = chunk;
    return [
      ...(isFirst ? [{ type: `${chunkType}-start`, id } as const] : []),
      ...(delta === '' ? [] : [{ type: `${chunkType}-delta`, id, delta } as const]),
      ...(isLast ? [{ type: `${chunkType}-end`, id } as const] : []),
    ];
  }

  /** It is shown when it begins, or when it is asked for: a call that waits for another would seem to be running. */
  call({ callId, toolName, args }: AgentEvents['llm:tool-call']): Chunks {
    this.#calls.set(callId, { toolName, input: args, state: 'hidden' });
    return nothing;
  }

  show(toolCallId: string, state: ShownCall['state']): Chunks {
    const call = this.#calls.get(toolCallId);
    if (!call) return nothing;
    this.#calls.set(toolCallId, { ...call, state });
    if (call.state !== 'hidden') return nothing;
    const { toolName, input } = call;
    return [
      { type: 'tool-input-start', toolCallId, toolName, dynamic: true },
      { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true },
    ];
  }

  ask({
    request: { id: approvalId, callId: toolCallId, warning },
  }: AgentEvents['approval:requested']): Chunks {
    if (!this.#calls.has(toolCallId)) return nothing;
    const reason = warning === '' ? {} : { reason: warning };
    return [
      ...this.show(toolCallId, 'waiting'),
      { type: 'tool-approval-request', approvalId, toolCallId, ...reason },
    ];
  }

  resolve({ request, answer }: AgentEvents['approval:resolved']): Chunks {
    const call = this.#calls.get(request.callId);
    if (call?.state !== 'waiting') return nothing;
    const approved = answer.type === 'allow';
    this.#calls.set(request.callId, { ...call, state: approved ? 'running' : 'denied' });
    const reason = answer.type === 'deny' && answer.reason !== undefined ? { reason: answer.reason } : {};
    return [{ type: 'tool-approval-response', approvalId: request.id, approved, ...reason }];
  }

  result({ callId: toolCallId, success, content, rawResult }: AgentEvents['llm:tool-result']): Chunks {
    const call = this.#calls.get(toolCallId);
    if (!call) return nothing;
    const shown = this.show(toolCallId, 'done');
    if (call.state === 'denied') return [...shown, { type: 'tool-output-denied', toolCallId }];
    const text = content
      .map((piece) => (piece.type === 'text' ? piece.text : `[${piece.mediaType}]`))
      .join('\n');
    if (!success)
      return [...shown, { type: 'tool-output-error', toolCallId, errorText: text, dynamic: true }];
    const output = rawResult === undefined ? text : { text, data: rawResult };
    return [...shown, { type: 'tool-output-available', toolCallId, output, dynamic: true }];
  }

  startCompaction(data: CompactionData, seq: number): Chunks {
    return [this.#compactionPart({ id: `compaction-${seq}`, data })];
  }

  advanceCompaction(more: Pick<AgentEvents['compaction:phase'], 'phase' | 'progress'>, seq: number): Chunks {
    const open = this.#compaction;
    if (open?.data.state !== 'running') return nothing;
    return this.startOrGoOn({ ...open.data, ...more }, seq);
  }

  endCompaction(data: CompactionData, seq: number): Chunks {
    const chunks = this.startOrGoOn(data, seq);
    this.#compaction = undefined;
    return chunks;
  }

  startOrGoOn(data: CompactionData, seq: number): Chunks {
    return [this.#compactionPart({ id: this.#compaction?.id ?? `compaction-${seq}`, data })];
  }

  #compactionPart(compaction: { readonly id: string; readonly data: CompactionData }): UiChunk {
    this.#compaction = compaction;
    return { type: 'data-throughline-compaction', ...compaction };
  }

  #endRun(outcome: RunOutcome): Chunks {
    if (outcome.type === 'cancelled') return [{ type: 'abort', reason: 'cancelled' }];
    const errorText = faultOf(outcome);
    if (errorText !== undefined) return [{ type: 'error', errorText }];
    return this.#finish(outcome.type === 'completed' ? finishReasons[outcome.finish] : 'other');
  }

  #finish(finishReason: Extract<UiChunk, { type: 'finish' }>['finishReason']): Chunks {
    const isOpen = this.#step !== undefined;
    return [
      ...(isOpen ? [{ type: 'finish-step' } as const] : []),
      { type: 'finish', finishReason, messageMetadata: { throughline: this.#metadata } },
    ];
  }
}

export function queuePart(data: QueueData): UiChunk {
  return { type: 'data-throughline-queue', id: 'queue', data };
}

type Finish = Extract<RunOutcome, { type: 'completed' }>['finish'];

const finishReasons = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool-calls',
  refusal: 'content-filter',
  'window-full': 'length',
  paused: 'other',
  other: 'other',
} as const satisfies Readonly<Record<Finish, string>>;

function notice(message: string): UiChunk {
  return { type: 'data-throughline-notice', transient: true, data: { message } };
}

function completedOf(data: AgentEvents['context:compressed']): CompactionData {
  const { reason, originalTokens, compressedTokens, messagesCompacted, checkpointId, summary } = data;
  return {
    state: 'completed',
    reason,
    tokensBefore: originalTokens,
    tokensAfter: compressedTokens,
    messagesCompacted,
    checkpointId,
    summary,
  };
}
