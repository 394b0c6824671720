import type { WireEdit } from '../../json/json.ts';
import { valueAt } from '../../json/json.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { PartChange } from '../codec.ts';
import { editResult } from '../edit-result.ts';
import type { ChangeOfType, EditContext, EditTable } from '../edit-table.ts';
import { blockInPlace, editArguments, editTextPart, editWith, removeAt } from '../edit-table.ts';

const textBlock = (text: string): { type: 'text'; text: string } => ({ type: 'text', text });

const table: EditTable = {
  'replace-result': replaceResult,
  'replace-arguments': editArguments,
  'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, ['text']),
  'replace-media': ({ part, text }, { entry }) => [blockInPlace(entry.wire, part.at, textBlock(text))],
  'drop-reasoning': ({ part }) => removeAt(part.at),
  'rename-call': ({ part, callId }) => [
    { at: [...part.at, part.type === 'call' ? 'id' : 'tool_use_id'], set: callId },
  ],
  'drop-part': ({ part }) => removeAt(part.at),
};

/** Results of server tools cannot be rewritten: their content has a form of its own, partly encrypted. */
function replaceResult(change: ChangeOfType<'replace-result'>, context: EditContext): readonly WireEdit[] {
  const { at } = change.part;
  const type = valueAt(context.entry.wire, [...at, 'type']);
  if (type !== 'tool_result' && type !== 'mcp_tool_result') return [];
  return editResult(change, context, { contentAt: [...at, 'content'], textBlock });
}

export function editAnthropic(entry: Entry, changes: readonly PartChange[]): readonly WireEdit[] {
  return editWith(table, { entry, changes });
}
