import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { applyEdit } from './apply-edit.ts';
import { fileTypeOf } from './file-type.ts';
import { nearestLines } from './nearest-lines.ts';
import { pathRefused } from './path-refused.ts';
import { requireWritable, writeFileAtomically } from './write-file-atomically.ts';
import type { Tool, ToolReply } from '../tool.ts';
import type { Edited } from './apply-edit.ts';
import type { Place, Workspace } from './workspace.ts';

const input = z.strictObject({
  path: z.string(),
  oldText: z.string().min(1),
  newText: z.string(),
  replaceAll: z.boolean().optional(),
});
type Args = z.output<typeof input>;

const maxBytes = 10 * 1024 * 1024;

/** `edit`: replaces one exact piece of a file; line ends, encoding marks and all else stay. */
export function createEditTool(workspace: Workspace): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces oldText in a file by newText. oldText must stand in the file exactly once, without line numbers (add lines around it to make it unique), unless replaceAll is set.',
    input,
    writes: async ({ path }) => [await workspace.keyOf(path)],
    guardedPart: ({ path }) => workspace.guardedPartOf(path),
    // Where oldText is not found, the lines most like it are shown.
    privatePart: ({ path }) => workspace.privatePartOf(path),
    execute: (args) => edit(workspace, args),
  });
}

async function edit(
  workspace: Workspace,
  { path, oldText, newText, replaceAll = false }: Args,
): Promise<ToolReply> {
  if (oldText === newText) return refusal('oldText and newText are the same; nothing was changed.');
  await using place = await workspace.locate(path);
  if (place.stats) requireWritable(place);
  const text = await readText(place);
  const edited = applyEdit(text, { oldText, newText: newText.toWellFormed(), replaceAll });
  if (edited.type !== 'edited') return refusal(reasonOf(edited, place.shown, text, oldText));
  await writeFileAtomically(place, Buffer.from(edited.text, 'utf8'));
  return `Edited ${place.shown} at ${lineList(edited.lines)}.`;
}

/** Refuses what would not come out again as it went in. */
async function readText(place: Place): Promise<string> {
  await using handle = await place.openFile();
  const { size } = await handle.stat();
  if (size > maxBytes)
    throw pathRefused(place.shown, `is too large to edit (${size} bytes, at most ${maxBytes})`);
  const bytes = await handle.readFile();
  if (fileTypeOf(bytes.subarray(0, 8_192)).type !== 'text') throw pathRefused(place.shown, 'is no text file');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw pathRefused(place.shown, 'is not UTF-8; an edit would damage it');
  }
}

function reasonOf(
  edited: Exclude<Edited, { type: 'edited' }>,
  shown: string,
  text: string,
  oldText: string,
): string {
  if (edited.type === 'ambiguous') {
    return (
      `oldText stands ${edited.count} times in ${shown}, at ${lineList(edited.lines)}; nothing was changed. ` +
      'Add lines around it until it is unique, or set replaceAll.'
    );
  }
  const hint = nearestLines(text, oldText);
  return `oldText is not in ${shown}; nothing was changed.${hint === undefined ? '' : ` ${hint}`}`;
}

function lineList(lines: readonly number[]): string {
  return `line${lines.length > 1 ? 's' : ''} ${lines.join(', ')}${lines.length >= 20 ? ' …' : ''}`;
}

function refusal(content: string): ToolReply {
  return { content, isError: true };
}
