import { OpenSpan } from './open-span.ts';
import { attribute, spanEvent } from './names.ts';
import type { Attributes, Context } from '@opentelemetry/api';
import type { AgentEvents, ContextUsage, TokenUsage } from '@throughline/protocol/types';
import type { SpanFault, SpanKit } from './open-span.ts';

/** A call of the model that has begun. It ends with the step's next doing, so that what is told of it late is in it. */
interface OpenCall {
  readonly span: OpenSpan;
  /** What its metrics are told by. */
  readonly attributes: Attributes;
  /** Parts of the answer, where content is told. */
  readonly said: object[];
  endMs?: number;
}

interface OpenTool {
  readonly span: OpenSpan;
  readonly name: string;
}

interface StepStart {
  readonly parent: Context;
  readonly sessionId: string;
  readonly data: AgentEvents['step:start'];
  readonly atMs: number;
}

/** One step of a run: a span around the call of the model and the calls of tools that came of it. */
export class OpenStep {
  readonly number: number;
  readonly span: OpenSpan;
  readonly #kit: SpanKit;
  readonly #sessionId: string;
  readonly #tools = new Map<string, OpenTool>();
  readonly #inputs = new Map<string, string>();
  #call: OpenCall | undefined;
  /** The model that was asked last, for metrics. */
  #model: Attributes = {};
  #lastMs: number;

  constructor(kit: SpanKit, { parent, sessionId, data, atMs }: StepStart) {
    const attributes = { [attribute.conversationId]: sessionId, [attribute.step]: data.step };
    this.#kit = kit;
    this.#sessionId = sessionId;
    this.number = data.step;
    this.span = new OpenSpan(kit, { name: 'step', parent, atMs, attributes });
    this.#lastMs = atMs;
    this.startCall(data, atMs);
  }

  /** A request that was refused is made smaller and sent again in the same step. */
  startCall({ provider, model }: AgentEvents['step:start'], atMs: number): void {
    this.#closeCall();
    const attributes = {
      [attribute.operationName]: 'chat',
      [attribute.providerName]: providerName(provider),
      [attribute.requestModel]: model,
    };
    const span = new OpenSpan(this.#kit, {
      name: `chat ${model}`,
      kind: 'CLIENT',
      parent: this.span.context,
      atMs,
      attributes: {
        ...attributes,
        [attribute.conversationId]: this.#sessionId,
        [attribute.requestStream]: true,
      },
    });
    this.#call = { span, attributes, said: [] };
    this.#model = attributes;
    this.#lastMs = Math.max(this.#lastMs, atMs);
  }

  noteOnCall(name: string, atMs: number, attributes: Attributes): void {
    this.#call?.span.note(name, atMs, attributes);
  }

  traceAnswer({ model, content, reasoning = '' }: AgentEvents['llm:response']): void {
    const call = this.#call;
    if (!call) return;
    call.span.set({ [attribute.responseModel]: model });
    if (!this.#kit.capturesContent) return;
    const parts = [
      { type: 'reasoning', content: reasoning },
      { type: 'text', content },
    ];
    call.said.unshift(...parts.filter((part) => part.content !== ''));
  }

  /** The answer as the conventions have it: why it ended is part of it. */
  #tellSaid({ span, said }: OpenCall, reason: string): void {
    if (said.length === 0) return;
    const message = { role: 'assistant', parts: said, finish_reason: reason };
    span.setContent(attribute.outputMessages, () => JSON.stringify([message]));
  }

  endCall({ finish, usage, durationMs, firstTokenMs }: AgentEvents['step:end']): void {
    const call = this.#call;
    if (!call || call.endMs !== undefined) return;
    const { meters } = this.#kit;
    call.span.set({
      [attribute.responseFinishReasons]: [finishReasons[finish]],
      ...(firstTokenMs === null ? {} : { [attribute.responseTimeToFirstChunk]: firstTokenMs / 1_000 }),
      ...(usage ? usageAttributes(usage) : {}),
    });
    this.#tellSaid(call, finishReasons[finish]);
    this.#setEnd(call, call.span.startedMs + durationMs);
    meters.callSeconds(durationMs / 1_000, call.attributes);
    if (firstTokenMs !== null) meters.firstChunkSeconds(firstTokenMs / 1_000, call.attributes);
    if (!usage) return;
    meters.tokens(usage.input, { ...call.attributes, [attribute.tokenType]: 'input' });
    meters.tokens(usage.output, { ...call.attributes, [attribute.tokenType]: 'output' });
  }

  failCall(fault: SpanFault, atMs: number): void {
    const call = this.#call;
    if (!call || call.endMs !== undefined) return;
    call.span.fail(fault);
    this.#tellSaid(call, 'error');
    this.#setEnd(call, atMs);
    const durationMs = Math.max(0, atMs - call.span.startedMs);
    this.#kit.meters.callSeconds(durationMs / 1_000, {
      ...call.attributes,
      [attribute.errorType]: fault.type,
    });
  }

  keepInput({ callId, toolName, args }: AgentEvents['llm:tool-call']): void {
    if (!this.#kit.capturesContent) return;
    this.#inputs.set(callId, JSON.stringify(args));
    this.#call?.said.push({ type: 'tool_call', id: callId, name: toolName, arguments: args });
  }

  startTool({ callId, toolName: name }: AgentEvents['tool:state'], atMs: number): void {
    this.#closeCall();
    this.#tools.get(callId)?.span.end(atMs);
    const span = new OpenSpan(this.#kit, {
      name: `execute_tool ${name}`,
      parent: this.span.context,
      atMs,
      attributes: {
        [attribute.operationName]: 'execute_tool',
        [attribute.toolName]: name,
        [attribute.toolCallId]: callId,
        [attribute.toolType]: 'function',
        [attribute.conversationId]: this.#sessionId,
      },
    });
    const input = this.#inputs.get(callId);
    if (input !== undefined) span.setContent(attribute.toolCallArguments, () => input);
    this.#tools.set(callId, { span, name });
  }

  endTool(data: AgentEvents['llm:tool-result'], atMs: number): void {
    const { callId, toolName, success, isCancelled, truncated, durationMs } = data;
    const tool = this.#tools.get(callId);
    this.#tools.delete(callId);
    this.#inputs.delete(callId);
    // It never ran: nothing was executed, and the model may have made the name up.
    if (!tool) return this.span.note(spanEvent.toolNotRun, atMs, { [attribute.toolName]: toolName });
    const fault = success || isCancelled ? undefined : { type: 'tool_error' };
    tool.span.set({ [attribute.toolTruncated]: truncated, [attribute.toolCancelled]: isCancelled });
    tool.span.setContent(attribute.toolCallResult, () => textOf(data.content));
    if (fault) tool.span.fail(fault);
    const endMs = tool.span.startedMs + durationMs;
    tool.span.end(endMs);
    this.#lastMs = Math.max(this.#lastMs, endMs);
    this.#kit.meters.toolSeconds(durationMs / 1_000, {
      [attribute.toolName]: tool.name,
      [attribute.toolType]: 'function',
      ...(fault ? { [attribute.errorType]: fault.type } : {}),
    });
  }

  /** Where what a call, or the model, causes belongs. */
  contextOf(callId: string | undefined): Context {
    const tool = callId === undefined ? undefined : this.#tools.get(callId);
    const call = this.#call?.endMs === undefined ? this.#call : undefined;
    return (tool?.span ?? call?.span ?? this.span).context;
  }

  /** Ends all that is open in it. Returns when it ended. */
  close(usage: ContextUsage | undefined, atMs: number): number {
    const hasOpen = this.#tools.size > 0 || (this.#call !== undefined && this.#call.endMs === undefined);
    if (hasOpen) this.#lastMs = Math.max(this.#lastMs, atMs);
    this.#closeCall();
    for (const { span } of this.#tools.values()) span.end(this.#lastMs);
    this.#tools.clear();
    if (usage) {
      const { currentTokens, percentUsed } = usage;
      this.span.set({
        [attribute.contextTokens]: currentTokens,
        [attribute.contextPercent]: percentUsed,
      });
      this.#kit.meters.contextPercent(percentUsed, this.#model);
    }
    this.span.end(this.#lastMs);
    return this.#lastMs;
  }

  #setEnd(call: OpenCall, endMs: number): void {
    call.endMs = endMs;
    this.#lastMs = Math.max(this.#lastMs, endMs);
  }

  #closeCall(): void {
    const call = this.#call;
    if (!call) return;
    if (call.endMs === undefined) this.#tellSaid(call, 'cancelled');
    call.span.end(call.endMs ?? this.#lastMs);
    this.#call = undefined;
  }
}

function usageAttributes({ input, output, cacheRead, cacheWrite, reasoning }: TokenUsage): Attributes {
  return {
    [attribute.usageInputTokens]: input,
    [attribute.usageOutputTokens]: output,
    [attribute.usageCacheReadInputTokens]: cacheRead,
    [attribute.usageCacheWriteInputTokens]: cacheWrite,
    [attribute.usageCacheCreationInputTokens]: cacheWrite,
    ...(reasoning > 0 ? { [attribute.usageReasoningOutputTokens]: reasoning } : {}),
  };
}

function textOf(content: AgentEvents['llm:tool-result']['content']): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

/** Why the model stopped, in the words of the conventions. */
const finishReasons: Readonly<Record<AgentEvents['step:end']['finish'], string>> = {
  stop: 'stop',
  length: 'length',
  'window-full': 'length',
  'tool-calls': 'tool_call',
  refusal: 'content_filter',
  paused: 'paused',
  other: 'other',
};

/** Names that the conventions write otherwise than people do. */
const wellKnown: ReadonlyMap<string, string> = new Map([
  ['azure', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['gemini', 'gcp.gemini'],
  ['google', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
]);

/** `gen_ai.provider.name` of a provider: the well-known value where there is one, else its own name. */
function providerName(provider: string): string {
  return wellKnown.get(provider.toLowerCase()) ?? provider;
}
