import { ContextError } from '@throughline/core';
import { printable } from '../../terminal/text.ts';
import { shownFolder } from '../state/start-lines.ts';
import { busy } from './slash-command.ts';
import { table } from '../../terminal/table.ts';
import { usedSessions } from '../state/chat-services.ts';
import { textOfContent } from '../state/message-blocks.ts';
import { CommandFailure, systemCodeOf } from '../../outcome/failure.ts';
import { exitCode } from '../../outcome/exit-code.ts';
import { open, unlink } from 'node:fs/promises';
import type { SessionInfo, WaitingItem } from '@throughline/ports';
import type { SlashContext } from './slash-command.ts';
import type { Column } from '../../terminal/table.ts';

const listedSessions = 20;

/** `/sessions [all] [number or id]`: the newest of this folder or of all, or another one. */
export async function sessionsCommand(context: SlashContext, argument: string): Promise<void> {
  const { services, session, columns, print, say } = context;
  const [, all, wanted = ''] = /^(all(?!\S))?\s*([^]*)$/.exec(argument) ?? [];
  const isOfAll = all !== undefined;
  const items = await usedSessions(services.agent.store, {
    limit: listedSessions,
    ...(!isOfAll && { folder: services.folder }),
  });
  if (wanted !== '') return await switchTo(context, idOf(wanted, items));
  if (items.length === 0)
    return say(
      isOfAll
        ? 'There are no sessions yet.'
        : 'This folder has no sessions yet. /sessions all lists those of other folders.',
    );
  const rows = items.map((info, index) => rowOf(info, { index, isThis: info.id === session.id, isOfAll }));
  const layout: readonly Column[] = [
    { title: '', align: 'right' },
    { title: 'messages', align: 'right' },
    { title: 'last used (UTC)' },
    ...(isOfAll ? [{ title: 'folder', canCut: true } as const] : []),
    { title: 'title', canCut: true },
    { title: 'id', canCut: true },
  ];
  const hint = isOfAll
    ? '/sessions all NUMBER opens one; * is this one.'
    : `Of ${printable(shownFolder(services.folder))}. /sessions NUMBER opens one; * is this one; /sessions all lists those of all folders.`;
  print([
    { speaker: 'notice', tone: 'plain', text: table(layout, rows, columns).join('\n') },
    { speaker: 'notice', tone: 'faint', text: hint },
  ]);
}

interface ListRow {
  readonly index: number;
  readonly isThis: boolean;
  readonly isOfAll: boolean;
}

function rowOf(info: SessionInfo, { index, isThis, isOfAll }: ListRow): readonly string[] {
  return [
    `${index + 1}${isThis ? '*' : ''}`,
    `${info.messageCount}`,
    new Date(info.updatedAtMs).toISOString().slice(0, 16).replace('T', ' '),
    ...(isOfAll ? [info.folder === '' ? '' : printable(shownFolder(info.folder))] : []),
    printable(info.title ?? ''),
    info.id,
  ];
}

function idOf(argument: string, items: readonly SessionInfo[]): string {
  const numbered = /^\d{1,3}$/.test(argument) ? items[Number(argument) - 1] : undefined;
  return numbered?.id ?? argument;
}

async function switchTo(context: SlashContext, id: string): Promise<void> {
  const { services, session, say } = context;
  const isSame = id === session.id;
  if (isSame && session.isRunning) return say('This session is open already.');
  if (isHeld(context)) return;
  // Another process may have gone on with it: its end is shown anew.
  if (isSame) return await context.open(session);
  try {
    const opened = await services.agent.open(id);
    const { folder } = await opened.info();
    await context.open(opened);
    // What is said in it of files is said of others.
    if (folder !== '' && folder !== services.folder)
      say(
        `This session is of ${shownFolder(folder)}; tools work in ${shownFolder(services.folder)}.`,
        'warning',
      );
  } catch (error) {
    if (!ContextError.is(error, 'not-found')) throw error;
    say(`There is no session ${id}. /sessions lists them.`, 'warning');
  }
}

/** `/new` */
export async function newCommand(context: SlashContext): Promise<void> {
  if (isHeld(context)) return;
  const { services, session, say } = context;
  const former = session.id;
  await context.open(await services.agent.create({ folder: services.folder }));
  say(`A new session. /sessions ${former} goes back.`, 'faint');
}

/** A run that nobody looks at could ask for an approval that nobody gives. */
function isHeld({ session, say }: SlashContext): boolean {
  if (session.isRunning) say(busy.text, busy.tone);
  return session.isRunning;
}

/** `/export [file]`: the whole session as JSON lines. Never writes over a file. */
export async function exportCommand(
  { services, session, say }: SlashContext,
  argument: string,
): Promise<void> {
  const file = argument === '' ? `throughline-${session.id}.jsonl` : argument;
  const lines = await writeNewFile(file, services.agent.store.sessions.export(session.id));
  say(`Written to ${file} (${lines} lines).`, 'good');
}

/** `/resume` */
export async function resumeCommand({ services, session, say }: SlashContext): Promise<void> {
  if (session.isRunning) return say('A run is busy already.');
  if (await session.resume()) return;
  const runs = await services.agent.store.journal.runs(session.id);
  const isCutOff = runs.at(-1)?.endedAtMs === null;
  if (!isCutOff && (await session.queue.list()).length === 0)
    return say('There is nothing to go on with: say something.');
  say('Another process has this session. Where it has died, try again in a few seconds.', 'warning');
}

const usage = '/queue edit NUMBER TEXT changes one, /queue remove NUMBER takes one out.';

/** `/queue`, `/queue edit 2 text`, `/queue remove 2` */
export async function queueCommand(context: SlashContext, argument: string): Promise<void> {
  const { session, say } = context;
  const waiting = await session.queue.list();
  if (argument === '') return list(context, waiting);
  const [, verb, number, text = ''] = /^(edit|remove)\s+(\d{1,4})(?:\s+([^]*))?$/.exec(argument) ?? [];
  if (verb === undefined || (verb === 'edit' && text.trim() === '')) return say(usage, 'warning');
  const item = waiting[Number(number) - 1];
  if (!item) return say(`Nothing waits at number ${number}.`, 'warning');
  const isDone =
    verb === 'edit' ? await session.queue.edit(item.id, text) : await session.queue.remove(item.id);
  if (!isDone) return say('It does not wait any more.', 'warning');
  say(verb === 'edit' ? `Number ${number} is changed.` : `Number ${number} is taken out.`, 'good');
}

function list({ print, say }: SlashContext, waiting: readonly WaitingItem[]): void {
  if (waiting.length === 0) return say('Nothing is waiting.');
  print([
    ...waiting.map(
      ({ content }, index) =>
        ({
          speaker: 'notice',
          tone: 'plain',
          mark: `${index + 1}. `,
          text: textOfContent(content),
          fold: { head: 4, tail: 0 },
        }) as const,
    ),
    { speaker: 'notice', tone: 'faint', text: usage },
  ]);
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file of this name; choose another',
  ENOENT: 'there is no such folder',
  EISDIR: 'this is a folder',
  EACCES: 'permission is missing',
};

/** Writes lines into a file that was not there; how many. Half a file is taken away again. */
async function writeNewFile(path: string, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const line of lines) {
        await file.appendFile(`${line}\n`);
        count += 1;
      }
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCodeOf(error);
    const reason = reasons[code];
    if (reason === undefined) throw error;
    throw new CommandFailure('unwritable-file', `${path} cannot be written: ${reason}.`, {
      exitCode: exitCode.unwritable,
    });
  }
  return count;
}
