import type { WireEdit } from '../../json/json.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { PartChange } from '../codec.ts';
import { editResult } from '../edit-result.ts';
import type { EditTable } from '../edit-table.ts';
import { blockInPlace, editArguments, editTextPart, editWith, removeAt } from '../edit-table.ts';

const textBlock = (text: string): { type: 'text'; text: string } => ({ type: 'text', text });

const table: EditTable = {
  'replace-result': (change, context) => editResult(change, context, { contentAt: ['content'], textBlock }),
  'replace-arguments': editArguments,
  'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, ['text', 'refusal']),
  'replace-media': ({ part, text }, { entry }) => [blockInPlace(entry.wire, part.at, textBlock(text))],
  'drop-reasoning': ({ part }) => removeAt(part.at),
  'rename-call': ({ part, callId }) => renameCall(part.type, part.at[0], callId, part.at),
  'drop-part': ({ part }) => dropPart(part.at),
};

/** Calls of the legacy form have no id, so there is none to change. */
function renameCall(
  type: 'call' | 'result',
  place: string | number | undefined,
  callId: string,
  at: readonly (string | number)[],
): readonly WireEdit[] {
  if (type === 'result') return [{ at: ['tool_call_id'], set: callId }];
  return place === 'tool_calls' ? [{ at: [...at, 'id'], set: callId }] : [];
}

/** `content` and `refusal` may be null but some servers want them there. */
function dropPart(at: readonly (string | number)[]): readonly WireEdit[] {
  const isNullable = at.length === 1 && (at[0] === 'content' || at[0] === 'refusal');
  return isNullable ? [{ at, set: null }] : removeAt(at);
}

const emptied: ReadonlyMap<string, WireEdit> = new Map<string, WireEdit>([
  ['content', { at: ['content'], set: null }],
  ['tool_calls', { at: ['tool_calls'], remove: true }],
  ['reasoning_details', { at: ['reasoning_details'], remove: true }],
  ['thinking_blocks', { at: ['thinking_blocks'], remove: true }],
]);

export function editOpenaiChat(entry: Entry, changes: readonly PartChange[]): readonly WireEdit[] {
  return editWith(table, { entry, changes }, emptied);
}
