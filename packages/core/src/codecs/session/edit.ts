import type { WireEdit } from '../../json/json.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { PartChange } from '../codec.ts';
import { editResult } from '../edit-result.ts';
import type { EditTable } from '../edit-table.ts';
import { blockInPlace, editArguments, editTextPart, editWith, removeAt } from '../edit-table.ts';

const textBlock = (text: string): { type: 'text'; text: string } => ({ type: 'text', text });

const table: EditTable = {
  'replace-result': (change, context) =>
    editResult(change, context, { contentAt: [...change.part.at, 'content'], textBlock }),
  'replace-arguments': editArguments,
  'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, ['text']),
  'replace-media': ({ part, text }, { entry }) => [blockInPlace(entry.wire, part.at, textBlock(text))],
  'drop-reasoning': ({ part }) => removeAt(part.at),
  'rename-call': ({ part, callId }) => [{ at: [...part.at, 'callId'], set: callId }],
  'drop-part': ({ part }) => removeAt(part.at),
};

export function editSession(entry: Entry, changes: readonly PartChange[]): readonly WireEdit[] {
  return editWith(table, { entry, changes });
}
