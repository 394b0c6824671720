import type { Path, WireEdit } from '../../json/json.ts';
import { isObject, valueAt } from '../../json/json.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { PartChange } from '../codec.ts';
import { editResult } from '../edit-result.ts';
import type { ChangeOfType, EditContext, EditTable } from '../edit-table.ts';
import { blockInPlace, editArguments, editTextPart, editWith, removeAt } from '../edit-table.ts';
import { itemIdPlaces } from './signature.ts';

const textBlock = (text: string): { type: 'text'; text: string } => ({ type: 'text', text });

const table: EditTable = {
  'replace-result': replaceResult,
  'replace-arguments': (change, { entry }) =>
    withoutItemId(entry.wire, change.part.at, editArguments(change)),
  'replace-text': ({ part, text }, { entry }) =>
    withoutItemId(entry.wire, part.at, editTextPart(entry.wire, part, text, ['text'])),
  'replace-media': ({ part, text }, { entry }) => [blockInPlace(entry.wire, part.at, textBlock(text))],
  'drop-reasoning': ({ part }) => removeAt(part.at),
  'rename-call': ({ part, callId }) => [{ at: [...part.at, 'toolCallId'], set: callId }],
  // A message that is one text has no place for the text to leave: the message goes.
  'drop-part': ({ part }) => removeAt(part.at.length === 1 ? [] : part.at),
};

/** OpenAI's provider sends a part that has an item id as a reference to its stored form: the edit would be lost. */
function withoutItemId(wire: unknown, at: Path, edits: readonly WireEdit[]): readonly WireEdit[] {
  if (edits.length === 0) return edits;
  const places = itemIdPlaces(valueAt(wire, at));
  return [...edits, ...places.map((place): WireEdit => ({ at: [...at, ...place], remove: true }))];
}

/** Results of the provider's own tools must keep the form it gave them. */
function replaceResult(change: ChangeOfType<'replace-result'>, context: EditContext): readonly WireEdit[] {
  const { part, text } = change;
  if (part.isProviderExecuted) return [];
  const at = [...part.at, 'output'];
  const output = valueAt(context.entry.wire, at);
  if (output === undefined) return [{ at: [...part.at, 'result'], set: text }];
  const type = isObject(output) ? output['type'] : undefined;
  if (type === 'text' || type === 'error-text') return [{ at: [...at, 'value'], set: text }];
  if (type === 'execution-denied') return [{ at: [...at, 'reason'], set: text }];
  if (type === 'content' && Array.isArray(valueAt(output, ['value']))) {
    return editResult(change, context, { contentAt: [...at, 'value'], textBlock });
  }
  const newType = part.isError ? 'error-text' : 'text';
  return [blockInPlace(context.entry.wire, at, { type: newType, value: text })];
}

export function editAiSdk(entry: Entry, changes: readonly PartChange[]): readonly WireEdit[] {
  return editWith(table, { entry, changes });
}
