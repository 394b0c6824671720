import { contentOfResult, describeCall, truncated } from './tool-calls.ts';
import { noticeOf } from './notices.ts';
import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import type { AgentEvent, AgentEvents, AgentEventType } from '@throughline/agent';
import type { ClientAbilities } from './acp-places.ts';
import type { Json } from '@throughline/core/codec';
import type { Media } from './tool-calls.ts';

interface MapperOptions {
  /** What relative paths begin at. */
  readonly folder: string;
  readonly abilities: ClientAbilities;
}

/** What was looked up for an event before it is mapped. */
export interface LookedUp {
  /** Text of the file that a call is about to replace. */
  readonly before?: string;
  readonly media?: Media;
}

type Told<Type extends AgentEventType> = Extract<AgentEvent, { readonly type: Type }>;

type Rows = {
  readonly [Type in AgentEventType]: (event: Told<Type>, lookedUp: LookedUp) => readonly SessionUpdate[];
};

interface ShownCall {
  readonly toolCallId: string;
  readonly diffs: ToolCallContent[];
  output: string;
  isOver: boolean;
}

const noMedia: Media = new Map();
const none = (): readonly SessionUpdate[] => [];
/** So much of the live output of a call is shown; each update carries all of it. */
const shownOutputChars = 2_000;

/**
 * Events of one session, in their order, as updates for an editor. It does nothing but remember what it has told: the
 * same events give the same updates.
 */
export class UpdateMapper {
  readonly #options: MapperOptions;
  /** How much of a part was told. */
  readonly #told = new Map<string, number>();
  readonly #calls = new Map<string, ShownCall>();
  #callCount = 0;
  #compaction: { readonly id: string; readonly tokensBefore: number } | undefined;
  readonly #rows: Rows;

  constructor(options: MapperOptions) {
    this.#options = options;
    this.#rows = {
      'run:start': none,
      'run:end': none,
      'step:start': none,
      'step:end': none,
      'llm:thinking': none,
      'llm:chunk': (event) => this.#chunk(event.data),
      'llm:response': none,
      'llm:tool-call': (event, lookedUp) => this.#call(event.data, lookedUp),
      'tool:state': (event) => this.#state(event.data),
      'tool:output': (event) => this.#output(event.data),
      'llm:tool-result': (event, lookedUp) => this.#result(event.data, lookedUp),
      'llm:error': (event) => this.#notice(event),
      'llm:retry': (event) => this.#notice(event),
      'llm:switched': none,
      'llm:unsupported-input': (event) => this.#notice(event),
      'message:queued': none,
      'message:updated': none,
      'message:removed': none,
      'message:moved': none,
      'message:pinned': none,
      'message:dequeued': none,
      'context:usage': ({ data }) => [
        { sessionUpdate: 'usage_update', used: Math.round(data.currentTokens), size: data.windowTokens },
      ],
      'context:overflow': none,
      'context:pruned': none,
      'context:repaired': none,
      'context:warning': (event) => this.#notice(event),
      'compaction:start': (event) => this.#compactionStart(event),
      'compaction:phase': none,
      'context:compressed': (event) => this.#compacted(event),
      'compaction:error': (event) => this.#compactionEnd(event, 'failed', event.data.error.message),
      'compaction:cancelled': (event) => this.#compactionEnd(event, 'cancelled'),
      'compaction:undone': (event) => this.#notice(event),
      'compaction:redone': (event) => this.#notice(event),
      'approval:requested': none,
      'approval:resolved': none,
      'session:updated': ({ data: { title } }) => [{ sessionUpdate: 'session_info_update', title }],
    };
  }

  updatesOf(event: AgentEvent, lookedUp: LookedUp = {}): readonly SessionUpdate[] {
    return this.#lookUp(event.type, event, lookedUp);
  }

  /** Under which id the editor knows a call. */
  idOf(callId: string): string {
    return this.#calls.get(callId)?.toolCallId ?? callId;
  }

  /** A part of which the editor was told so many characters in another way. */
  remember(messageId: string, part: number, characters: number): void {
    this.#told.set(`${messageId}:${part}`, characters);
  }

  /** A call of the history: its id is taken, and it may still get its result. */
  rememberCall(callId: string, shown: { readonly toolCallId: string; readonly isOver: boolean }): void {
    this.#callCount += 1;
    this.#calls.set(callId, { ...shown, diffs: [], output: '' });
  }

  #lookUp<Type extends AgentEventType>(
    type: Type,
    event: AgentEvent,
    lookedUp: LookedUp,
  ): readonly SessionUpdate[] {
    // The event is of the type that its row is looked up by. An event of a newer version has no row.
    const row: Rows[Type] | undefined = this.#rows[type];
    return row?.(event as Told<Type>, lookedUp) ?? [];
  }

  /** The pieces as they come; of the whole at the end only what is missing. */
  #chunk({
    chunkType,
    content,
    messageId,
    part,
    isComplete,
  }: AgentEvents['llm:chunk']): readonly SessionUpdate[] {
    const key = `${messageId}:${part}`;
    const told = this.#told.get(key) ?? 0;
    const text = isComplete === true ? content.slice(told) : content;
    if (isComplete === true) this.#told.delete(key);
    else this.#told.set(key, told + text.length);
    if (text === '') return [];
    const sessionUpdate = chunkType === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk';
    return [{ sessionUpdate, content: { type: 'text', text }, messageId }];
  }

  #call(data: AgentEvents['llm:tool-call'], { before }: LookedUp): readonly SessionUpdate[] {
    const { callId, toolName, args } = data;
    const { diffs, ...described } = describeCall(data, this.#options.folder, before);
    this.#callCount += 1;
    // Models number their calls as they like; an editor takes the same id for the same call.
    const toolCallId = this.#calls.has(callId) ? `${callId}~${this.#callCount}` : callId;
    this.#calls.set(callId, { toolCallId, diffs, output: '', isOver: false });
    return [
      {
        sessionUpdate: 'tool_call',
        toolCallId,
        name: toolName,
        status: 'pending',
        rawInput: args,
        ...described,
        ...(diffs.length > 0 && { content: diffs }),
      },
    ];
  }

  /** How it ends is told with its result. */
  #state({ callId, state }: AgentEvents['tool:state']): readonly SessionUpdate[] {
    if (state !== 'running') return [];
    return [{ sessionUpdate: 'tool_call_update', toolCallId: this.idOf(callId), status: 'in_progress' }];
  }

  #output({ callId, delta }: AgentEvents['tool:output']): readonly SessionUpdate[] {
    const call = this.#calls.get(callId);
    if (!call || call.isOver) return [];
    call.output = (call.output + delta).slice(-shownOutputChars);
    const text = call.output.toWellFormed();
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: call.toolCallId,
        content: [...call.diffs, { type: 'content', content: { type: 'text', text } }],
      },
    ];
  }

  #result(data: AgentEvents['llm:tool-result'], { media = noMedia }: LookedUp): readonly SessionUpdate[] {
    const { callId, toolName, success, content, rawResult } = data;
    const call = this.#calls.get(callId);
    if (call) call.isOver = true;
    const shown = contentOfResult(content, media);
    // Of a change that was made the difference says all.
    const changed = success && call ? call.diffs : [];
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: this.idOf(callId),
        status: success ? 'completed' : 'failed',
        content: changed.length > 0 ? changed : shown,
        ...(rawResult !== undefined && { rawOutput: rawResult }),
      },
      ...(toolName === 'todo' && success ? planOf(rawResult) : []),
    ];
  }

  #compactionStart({ seq, data: { tokensBefore } }: Told<'compaction:start'>): readonly SessionUpdate[] {
    const id = `compaction_${seq}`;
    this.#compaction = { id, tokensBefore };
    if (this.#options.abilities.showsCompactions)
      return [{ sessionUpdate: 'compaction_update', compactionId: id, status: 'in_progress' }];
    return [
      {
        sessionUpdate: 'tool_call',
        toolCallId: id,
        title: 'Compacting the context',
        kind: 'think',
        status: 'in_progress',
      },
    ];
  }

  #compacted({ seq, data }: Told<'context:compressed'>): readonly SessionUpdate[] {
    const { originalTokens, compressedTokens, summary } = data;
    const id = this.#compaction?.id;
    this.#compaction = undefined;
    const isOpen = id !== undefined;
    return compactionUpdates(
      { id: id ?? `compaction_${seq}`, isOpen, tokens: [originalTokens, compressedTokens], summary },
      this.#options.abilities,
    );
  }

  #compactionEnd(
    event: Told<'compaction:error'> | Told<'compaction:cancelled'>,
    status: 'failed' | 'cancelled',
    error?: string,
  ): readonly SessionUpdate[] {
    const id = this.#compaction?.id ?? `compaction_${event.seq}`;
    this.#compaction = undefined;
    if (this.#options.abilities.showsCompactions) {
      const reason = error === undefined ? {} : { error };
      return [{ sessionUpdate: 'compaction_update', compactionId: id, status, ...reason }];
    }
    const text = error ?? 'Cancelled.';
    return [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: id,
        status: 'failed',
        content: [{ type: 'content', content: { type: 'text', text } }],
      },
    ];
  }

  #notice(event: AgentEvent): readonly SessionUpdate[] {
    const notice = noticeOf(event);
    return notice ? noticeUpdates(notice, `notice_${event.seq}`, this.#options.abilities) : [];
  }
}

interface ShownCompaction {
  readonly id: string;
  /** It was told that it has begun. */
  readonly isOpen: boolean;
  /** Before and after. */
  readonly tokens: readonly [number, number];
  readonly summary: string | null;
}

/** A compaction that is done: natively, or as the call of a tool where the editor knows nothing of compactions. */
export function compactionUpdates(
  { id, isOpen, tokens: [before, after], summary }: ShownCompaction,
  { showsCompactions }: ClientAbilities,
): readonly SessionUpdate[] {
  const title = `Context compacted: ${Math.round(before)} → ${Math.round(after)} tokens`;
  if (showsCompactions) {
    const text = summary ?? `${title}. No summary was needed.`;
    return [
      {
        sessionUpdate: 'compaction_update',
        compactionId: id,
        status: 'completed',
        summary: [{ type: 'text', text }],
      },
    ];
  }
  const content: ToolCallContent[] =
    summary === null ? [] : [{ type: 'content', content: { type: 'text', text: truncated(summary) } }];
  const told = { toolCallId: id, title, status: 'completed', content } as const;
  if (isOpen) return [{ sessionUpdate: 'tool_call_update', ...told }];
  return [{ sessionUpdate: 'tool_call', kind: 'think', ...told }];
}

/** Natively, or as words of the agent where the editor knows nothing of notices and it is more than a passing word. */
export function noticeUpdates(
  { severity, title, description }: NonNullable<ReturnType<typeof noticeOf>>,
  messageId: string,
  { showsNotices }: ClientAbilities,
): readonly SessionUpdate[] {
  if (showsNotices) {
    const more = description === undefined ? {} : { description };
    return [{ sessionUpdate: 'notice', severity, title, ...more }];
  }
  if (severity === 'info') return [];
  const text = [title, description].filter((one) => one !== undefined).join(': ');
  return [
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `\n\n*${text}*\n\n` }, messageId },
  ];
}

/** The todo list as a plan. */
export function planOf(todos: Json | undefined): readonly SessionUpdate[] {
  if (!Array.isArray(todos)) return [];
  const entries = (todos as readonly Json[]).flatMap((todo) => {
    if (typeof todo !== 'object' || todo === null || !('content' in todo)) return [];
    const { content, status } = todo;
    const known = statuses.find((one) => one === status) ?? 'pending';
    return typeof content === 'string' ? [{ content, status: known, priority: 'medium' as const }] : [];
  });
  return [{ sessionUpdate: 'plan', entries }];
}

const statuses = ['pending', 'in_progress', 'completed'] as const;
