import type { WireEdit } from '../../json/json.ts';
import { hasMember, isObject } from '../../json/json.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { PartChange } from '../codec.ts';
import { blockInPlace, editArguments, editResult, editTextPart, editWith, removeAt } from '../edit-table.ts';
import type { ChangeOfType, EditContext, EditTable } from '../edit-table.ts';

const textBlock = (text: string): { type: 'input_text'; text: string } => ({ type: 'input_text', text });

const table: EditTable = {
  'replace-result': replaceResult,
  'replace-arguments': editArguments,
  'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, ['text', 'refusal']),
  'replace-media': replaceMedia,
  'drop-reasoning': ({ part }) => removeAt(part.at),
  'rename-call': ({ callId }, { entry }) => renameCall(entry.wire, callId),
  // A message of one text has no place for the text to leave: the item goes.
  'drop-part': ({ part }) => removeAt(part.at.length === 1 ? [] : part.at),
};

/** Items that are call and result at once have no id to pair by. */
function renameCall(wire: unknown, callId: string): readonly WireEdit[] {
  const key = ['callId', 'call_id'].find((name) => hasMember(wire, name));
  return key === undefined ? [] : [{ at: [key], set: callId }];
}

type ResultEditor = (change: ChangeOfType<'replace-result'>, context: EditContext) => readonly WireEdit[];

/** Outputs of other types have a form of their own and are sent on as they are. */
const resultEditors: ReadonlyMap<unknown, ResultEditor> = new Map<unknown, ResultEditor>([
  ['function_call_result', editOutput],
  ['apply_patch_call_output', editOutput],
  ['shell_call_output', editStreams],
]);

function replaceResult(change: ChangeOfType<'replace-result'>, context: EditContext): readonly WireEdit[] {
  const { wire } = context.entry;
  return (isObject(wire) ? resultEditors.get(wire['type']) : undefined)?.(change, context) ?? [];
}

function editOutput(change: ChangeOfType<'replace-result'>, context: EditContext): readonly WireEdit[] {
  const { part, keepMedia } = change;
  // A single block of media that is to stay has no place for a text.
  if (keepMedia && part.pieces.some(({ type, at }) => type === 'media' && at.length === 1)) return [];
  return editResult(change, context, { contentAt: ['output'], textBlock });
}

/** The streams of a shell stay in their places; the first carries the text, the others fall silent. */
function editStreams({ part, text }: ChangeOfType<'replace-result'>): readonly WireEdit[] {
  return part.pieces
    .filter((piece) => piece.type === 'text')
    .map((piece, index) => ({ at: piece.at, set: index === 0 ? text : '' }));
}

/** Messages of an assistant and single blocks have text blocks of other names; a screenshot must stay one. */
function replaceMedia(change: ChangeOfType<'replace-media'>, { entry }: EditContext): readonly WireEdit[] {
  const { part, text } = change;
  const { wire } = entry;
  if (isObject(wire) && wire['type'] === 'computer_call_result') return [];
  if (part.at.length === 1) return [{ at: part.at, set: text }];
  const isSaid = isObject(wire) && wire['role'] === 'assistant';
  return [blockInPlace(wire, part.at, isSaid ? { type: 'output_text', text } : textBlock(text))];
}

export function editAgentsItem(entry: Entry, changes: readonly PartChange[]): readonly WireEdit[] {
  return editWith(table, { entry, changes });
}
