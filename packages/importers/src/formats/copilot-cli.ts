import { ConversationBuilder, outputText, result, text } from '../compose/conversation-builder.ts';
import { isObject, listOf, objectOf, textOf } from '../recording/json-value.ts';
import { UnreadTypes } from '../source/unreadable.ts';
import type { NeutralPart } from '@throughline/core/codec';
import type { FormatReading, ReadOptions } from '../recording/format.ts';
import type { WireObject } from '../recording/json-value.ts';
import type { LinesDocument, RecordedSession } from '../recording/recording.ts';

export function ownsCopilotLine(value: unknown): boolean {
  if (!isObject(value) || !isObject(value['data']) || typeof value['type'] !== 'string') return false;
  return typeof value['id'] === 'string' && 'parentId' in value;
}

interface Reading {
  readonly document: LinesDocument;
  readonly archived: ConversationBuilder[];
  readonly subagents: Map<string, ConversationBuilder>;
  /** Of the subagents. */
  readonly models: Map<string, string>;
  main: ConversationBuilder;
  id: string;
  system?: string | undefined;
  model?: string | undefined;
  /** Names of the calls, for results that do not repeat them. */
  readonly names: Map<string, string>;
}

/**
 * Reads the events of a Copilot CLI session; subagents are conversations of their own. After a recorded compaction the
 * active view starts with its summary; what was before is archived. The newest system message is the session's system
 * prompt. Prompt tokens are not logged.
 */
export function readCopilotCli(document: LinesDocument, options: ReadOptions): FormatReading {
  const reading: Reading = {
    document,
    archived: [],
    subagents: new Map(),
    models: new Map(),
    main: new ConversationBuilder(),
    id: 'session',
    names: new Map(),
  };
  const unread = new UnreadTypes(quietTypes);
  for (const { value, number } of document.lines) {
    const event = objectOf(value);
    const type = textOf(event['type']) ?? '';
    const data = objectOf(event['data']);
    const agent = agentOf(event, data);
    const say = talk.get(type);
    const set = settings.get(type);
    if (say) say(data, reading, agent);
    else if (agent !== undefined && (set || type === 'session.compaction_complete')) continue;
    else if (type === 'session.compaction_complete' && !options.isWhole) compact(data, reading);
    else if (set) set(data, reading);
    else if (!quietFamilies.some((family) => type.startsWith(family))) unread.see(type, 'event', number);
  }
  return { sessions: sessionsOf(reading), notes: unread.notes() };
}

/** Events that say how the work went, and nothing of what is sent to the model. */
const quietFamilies = ['session.', 'hook.', 'permission.', 'pending_messages.'];
const quietTypes: ReadonlySet<string> = new Set([
  'abort',
  'assistant.turn_start',
  'assistant.turn_end',
  'assistant.usage',
  'assistant.intent',
  'assistant.message_delta',
  'assistant.reasoning',
  'assistant.reasoning_delta',
  'tool.execution_start',
  'tool.execution_progress',
  'tool.execution_partial_result',
  'subagent.started',
  'subagent.completed',
  'subagent.failed',
]);

function sessionsOf({ main, archived, subagents, models, id, system, model }: Reading): RecordedSession[] {
  if (main.length === 0) return [];
  const shared = { system, model };
  return [
    main.session({ id, kind: 'active', ...shared }),
    ...archived.map((one, index) =>
      one.session({ id: `${id}#archived-${index + 1}`, kind: 'archived', ...shared }),
    ),
    ...[...subagents].map(([key, one]) =>
      one.session({ id: `${id}#${key}`, kind: 'subagent', model: models.get(key) }),
    ),
  ];
}

function compact(data: WireObject, reading: Reading): void {
  const summary = textOf(data['summaryContent']) ?? textOf(data['summary']);
  if (data['success'] === false || summary === undefined) return;
  reading.archived.push(reading.main);
  reading.main = new ConversationBuilder();
  reading.main.say('user', [text(summary)]);
}

type Say = (data: WireObject, reading: Reading, agent: string | undefined) => void;

/** What is said, by the session itself or by one of its subagents. */
const talk: ReadonlyMap<string, Say> = new Map<string, Say>([
  [
    'user.message',
    (data, reading, agent) => {
      threadOf(agent, reading).say('user', [
        text(textOf(data['transformedContent']) ?? textOf(data['content']) ?? ''),
      ]);
    },
  ],
  ['assistant.message', sayAnswer],
  ['tool.execution_complete', sayResult],
]);

type Tell = (data: WireObject, reading: Reading) => void;

/** Facts of the session: those of a subagent, which has a prompt and a model of its own, are none of them. */
const settings: ReadonlyMap<string, Tell> = new Map<string, Tell>([
  [
    'session.start',
    (data, reading) => {
      reading.id = textOf(data['sessionId']) ?? reading.id;
    },
  ],
  [
    'session.model_change',
    (data, reading) => {
      reading.model = textOf(data['newModel']) ?? reading.model;
    },
  ],
  [
    'system.message',
    (data, reading) => {
      reading.system = textOf(data['content']) ?? reading.system;
    },
  ],
]);

function sayAnswer(data: WireObject, reading: Reading, agent: string | undefined): void {
  const model = textOf(data['model']);
  if (agent === undefined) reading.model = model ?? reading.model;
  else if (model !== undefined) reading.models.set(agent, model);
  const reasoning = textOf(data['reasoningText']);
  const calls = listOf(data['toolRequests']).flatMap((request): NeutralPart[] => {
    const { toolCallId, name, arguments: input } = objectOf(request);
    const callId = textOf(toolCallId);
    if (callId === undefined) return [];
    reading.names.set(callId, textOf(name) ?? 'tool');
    return [{ type: 'call', callId, name: textOf(name) ?? 'tool', input }];
  });
  threadOf(agent, reading).say('assistant', [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    text(textOf(data['content']) ?? ''),
    ...calls,
  ]);
}

function sayResult(data: WireObject, reading: Reading, agent: string | undefined): void {
  const id = textOf(data['toolCallId']);
  if (id === undefined) return;
  const name = reading.names.get(id) ?? 'tool';
  const output = objectOf(data['result'])['content'] ?? objectOf(data['error'])['message'] ?? data['error'];
  threadOf(agent, reading).say('tool', [result({ id, name }, outputText(output), data['success'] === false)]);
}

/**
 * The call that started the subagent an event is of; `undefined` for the session's own. What a subagent is asked names it
 * in the event alone, its answers and results in their data, too.
 */
function agentOf(event: WireObject, data: WireObject): string | undefined {
  return textOf(event['agentId']) ?? textOf(data['parentToolCallId']);
}

function threadOf(agent: string | undefined, reading: Reading): ConversationBuilder {
  if (agent === undefined) return reading.main;
  const known = reading.subagents.get(agent);
  if (known) return known;
  const thread = new ConversationBuilder();
  reading.subagents.set(agent, thread);
  return thread;
}
