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

/** The output of a local shell names its call by its own id; items that are call and result at once need no pairing. */
function renameCall(wire: unknown, callId: string): readonly WireEdit[] {
  const type = isObject(wire) ? wire['type'] : undefined;
  if (hasMember(wire, 'call_id') || pairedItems.has(type)) return [{ at: ['call_id'], set: callId }];
  return type === 'local_shell_call_output' ? [{ at: ['id'], set: callId }] : [];
}

/** What pairs by an id of its own even where it lacks one. */
const pairedItems: ReadonlySet<unknown> = new Set(
  'function_call function_call_output custom_tool_call custom_tool_call_output'.split(' '),
);

type ResultEditor = (change: ChangeOfType<'replace-result'>, context: EditContext) => readonly WireEdit[];

const editOutput: ResultEditor = (change, context) =>
  editResult(change, context, { contentAt: ['output'], textBlock });

/** Outputs of other types have a form of their own and are sent on as they are. */
const resultEditors: ReadonlyMap<unknown, ResultEditor> = new Map<unknown, ResultEditor>([
  ['function_call_output', editOutput],
  ['custom_tool_call_output', editOutput],
  ['local_shell_call_output', editOutput],
  ['apply_patch_call_output', editOutput],
  ['mcp_call', editOutput],
  ['shell_call_output', ({ part, text }) => editStreams(part.pieces, text)],
]);

function replaceResult(change: ChangeOfType<'replace-result'>, context: EditContext): readonly WireEdit[] {
  const { wire } = context.entry;
  return (isObject(wire) ? resultEditors.get(wire['type']) : undefined)?.(change, context) ?? [];
}

/** The streams of a shell stay in their places; the first carries the text, the others fall silent. */
function editStreams(
  pieces: ChangeOfType<'replace-result'>['part']['pieces'],
  text: string,
): readonly WireEdit[] {
  return pieces
    .filter((piece) => piece.type === 'text')
    .map((piece, index) => ({ at: piece.at, set: index === 0 ? text : '' }));
}

/** Only lists of content blocks can hold a text in the place of media. */
function replaceMedia(change: ChangeOfType<'replace-media'>, { entry }: EditContext): readonly WireEdit[] {
  const { part, text } = change;
  return typeof part.at.at(-1) === 'number' ? [blockInPlace(entry.wire, part.at, textBlock(text))] : [];
}

export function editResponsesItem(entry: Entry, changes: readonly PartChange[]): readonly WireEdit[] {
  return editWith(table, { entry, changes });
}
