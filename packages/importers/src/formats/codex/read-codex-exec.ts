import { ConversationBuilder, outputText, result, text } from '../../compose/conversation-builder.ts';
import { isObject, objectOf, textOf } from '../../recording/json-value.ts';
import { UnreadTypes } from '../../source/unreadable.ts';
import type { FormatReading } from '../../recording/format.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type { LinesDocument } from '../../recording/recording.ts';

const lineType = /^(thread|turn|item)\.[a-z_.]+$/;

export function ownsCodexExecLine(value: unknown): boolean {
  if (!isObject(value) || typeof value['type'] !== 'string' || !lineType.test(value['type'])) return false;
  return !('payload' in value) && !('data' in value);
}

/**
 * Reads the JSON events of `codex exec`. They hold what the agent said and did; the prompt is not among them. Usage
 * is a total of the run, so none is kept.
 */
export function readCodexExec(document: LinesDocument): FormatReading {
  const builder = new ConversationBuilder();
  let id = 'session';
  const unread = new UnreadTypes(new Set(['error']));
  for (const { value, number } of document.lines) {
    const event = objectOf(value);
    if (event['type'] === 'thread.started') id = textOf(event['thread_id']) ?? id;
    if (!ownsCodexExecLine(value)) unread.see(textOf(event['type']) ?? '', 'line', number);
    if (event['type'] !== 'item.completed') continue;
    const item = objectOf(event['item']);
    const type = textOf(item['type']) ?? textOf(item['item_type']) ?? '';
    const add = adders.get(type);
    if (add) add(item, builder);
    else unread.see(type, 'item', number);
  }
  const sessions = builder.length === 0 ? [] : [builder.session({ id, kind: 'active' })];
  return {
    sessions,
    notes: [
      { note: 'events of codex exec hold neither the prompt nor the system prompt' },
      ...unread.notes(),
    ],
  };
}

type Add = (item: WireObject, builder: ConversationBuilder) => void;

const adders: ReadonlyMap<string, Add> = new Map<string, Add>([
  ['agent_message', sayText],
  ['assistant_message', sayText],
  ['user_message', (item, builder) => builder.say('user', [text(textOf(item['text']) ?? '')])],
  [
    'reasoning',
    (item, builder) => builder.say('assistant', [{ type: 'reasoning', text: textOf(item['text']) ?? '' }]),
  ],
  ['command_execution', sayCommand],
  ['mcp_tool_call', (item, builder) => sayCall(item, builder, textOf(item['tool']) ?? 'mcp_tool_call')],
  ['file_change', (item, builder) => sayCall(item, builder, 'file_change')],
  ['web_search', (item, builder) => sayCall(item, builder, 'web_search')],
  ['todo_list', (item, builder) => sayCall(item, builder, 'todo_list')],
]);

function sayText(item: WireObject, builder: ConversationBuilder): void {
  builder.say('assistant', [text(textOf(item['text']) ?? '')]);
}

function sayCommand(item: WireObject, builder: ConversationBuilder): void {
  const call = { id: callIdOf(item, builder), name: 'command_execution' };
  const exitCode = item['exit_code'];
  const isError = typeof exitCode === 'number' && exitCode !== 0;
  builder.say('assistant', [
    { type: 'call', callId: call.id, name: call.name, input: { command: item['command'] } },
  ]);
  builder.say('tool', [result(call, outputText(item['aggregated_output']), isError)]);
}

const outputNames: ReadonlySet<string> = new Set(['result', 'error', 'aggregated_output']);
const ownNames: ReadonlySet<string> = new Set(['id', 'type', 'item_type', 'status', 'tool', ...outputNames]);

function sayCall(item: WireObject, builder: ConversationBuilder, name: string): void {
  const call = { id: callIdOf(item, builder), name };
  const members = Object.entries(item).filter(([key]) => !ownNames.has(key));
  builder.say('assistant', [{ type: 'call', callId: call.id, name, input: Object.fromEntries(members) }]);
  const isError = item['status'] === 'failed';
  const output = outputText(item['result'] ?? item['error'] ?? item['status'] ?? 'done');
  builder.say('tool', [result(call, output, isError)]);
}

function callIdOf(item: WireObject, builder: ConversationBuilder): string {
  return textOf(item['id']) ?? `item-${builder.length}`;
}
