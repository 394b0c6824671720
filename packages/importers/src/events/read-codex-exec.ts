import { Narration } from './narration.ts';
import { outputText, result, text } from './neutral.ts';
import { UnreadTypes } from './unread-types.ts';
import { isObject, objectOf, textOf } from '../json-value.ts';
import type { FormatReading } from '../format.ts';
import type { JsonObject } from '../json-value.ts';
import type { LinesDocument } from '../source/document.ts';

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
  const narration = new Narration();
  let id = 'session';
  const unread = new UnreadTypes(new Set(['error']));
  for (const { value, number } of document.lines) {
    const event = objectOf(value);
    if (event['type'] === 'thread.started') id = textOf(event['thread_id']) ?? id;
    if (!ownsCodexExecLine(value)) unread.see(textOf(event['type']) ?? '', 'line', number);
    if (event['type'] !== 'item.completed') continue;
    const item = objectOf(event['item']);
    const type = textOf(item['type']) ?? textOf(item['item_type']) ?? '';
    const tell = tellers.get(type);
    if (tell) tell(item, narration);
    else unread.see(type, 'item', number);
  }
  const sessions = narration.length === 0 ? [] : [narration.session({ id, kind: 'active' })];
  return {
    sessions,
    notes: [
      { note: 'events of codex exec hold neither the prompt nor the system prompt' },
      ...unread.notes(),
    ],
  };
}

type Tell = (item: JsonObject, narration: Narration) => void;

const tellers: ReadonlyMap<string, Tell> = new Map<string, Tell>([
  ['agent_message', sayText],
  ['assistant_message', sayText],
  ['user_message', (item, narration) => narration.say('user', [text(textOf(item['text']) ?? '')])],
  [
    'reasoning',
    (item, narration) =>
      narration.say('assistant', [{ type: 'reasoning', text: textOf(item['text']) ?? '' }]),
  ],
  ['command_execution', sayCommand],
  ['mcp_tool_call', (item, narration) => sayCall(item, narration, textOf(item['tool']) ?? 'mcp_tool_call')],
  ['file_change', (item, narration) => sayCall(item, narration, 'file_change')],
  ['web_search', (item, narration) => sayCall(item, narration, 'web_search')],
  ['todo_list', (item, narration) => sayCall(item, narration, 'todo_list')],
]);

function sayText(item: JsonObject, narration: Narration): void {
  narration.say('assistant', [text(textOf(item['text']) ?? '')]);
}

function sayCommand(item: JsonObject, narration: Narration): void {
  const call = { id: callIdOf(item, narration), name: 'command_execution' };
  const exitCode = item['exit_code'];
  const isError = typeof exitCode === 'number' && exitCode !== 0;
  narration.say('assistant', [
    { type: 'call', callId: call.id, name: call.name, input: { command: item['command'] } },
  ]);
  narration.say('tool', [result(call, outputText(item['aggregated_output']), isError)]);
}

const outputNames: ReadonlySet<string> = new Set(['result', 'error', 'aggregated_output']);
const ownNames: ReadonlySet<string> = new Set(['id', 'type', 'item_type', 'status', 'tool', ...outputNames]);

function sayCall(item: JsonObject, narration: Narration, name: string): void {
  const call = { id: callIdOf(item, narration), name };
  const members = Object.entries(item).filter(([key]) => !ownNames.has(key));
  narration.say('assistant', [{ type: 'call', callId: call.id, name, input: Object.fromEntries(members) }]);
  const isError = item['status'] === 'failed';
  const output = outputText(item['result'] ?? item['error'] ?? item['status'] ?? 'done');
  narration.say('tool', [result(call, output, isError)]);
}

function callIdOf(item: JsonObject, narration: Narration): string {
  return textOf(item['id']) ?? `item-${narration.length}`;
}
