import { compactCommand, contextCommand, modelCommand, undoCommand } from './context-commands.ts';
import {
  exportCommand,
  newCommand,
  queueCommand,
  resumeCommand,
  sessionsCommand,
} from './session-commands.ts';
import { table } from '../../terminal/table.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';
import type { Column } from '../../terminal/table.ts';

const commands: Readonly<Record<string, SlashCommand>> = {
  help: { takes: '', does: 'shows this', run: help },
  compact: {
    takes: '[FOCUS]',
    does: 'makes the context smaller, with FOCUS in mind',
    run: compactCommand,
  },
  undo: { takes: '', does: 'takes the last compaction back', run: undoCommand },
  context: { takes: '', does: 'shows what fills the window', run: contextCommand },
  model: { takes: '[PROVIDER:NAME]', does: 'shows the model, or goes on with another', run: modelCommand },
  sessions: {
    takes: '[all] [NUMBER|ID]',
    does: 'lists the sessions of this folder or of all, or opens another',
    run: sessionsCommand,
  },
  new: { takes: '', does: 'begins a new session', run: newCommand },
  resume: { takes: '', does: 'goes on after a stop or a failure', run: resumeCommand },
  queue: { takes: '[edit N TEXT|remove N]', does: 'shows or changes what waits', run: queueCommand },
  export: { takes: '[FILE]', does: 'writes the session as JSON lines', run: exportCommand },
  quit: { takes: '', does: 'leaves; the session can be resumed', run: ({ leave }) => leave() },
};

/** Names as they are typed, with the slash. */
export const slashNames: readonly string[] = Object.keys(commands).map((name) => `/${name}`);

const aliases: Readonly<Record<string, string>> = { exit: 'quit', '?': 'help' };

/** Whether a text is a command and no message: `/etc/hosts` is none. */
export function isSlashCommand(text: string): boolean {
  return /^\s*\/[\w?-]*(?:\s|$)/.test(text);
}

/** Runs a line that begins with a slash. An unknown command is answered with the nearest. */
export async function runSlashCommand(line: string, context: SlashContext): Promise<void> {
  const [, typed = '', argument = ''] = /^\/(\S*)\s*([^]*)$/.exec(line) ?? [];
  const name = typed.toLowerCase();
  const known = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  const command = Object.hasOwn(commands, known) ? commands[known] : undefined;
  if (command) return await command.run(context, argument.trim());
  const nearest = nearestName(name, Object.keys(commands));
  const hint = nearest === undefined ? '' : ` Did you mean /${nearest}?`;
  context.say(`There is no command /${typed}.${hint} /help lists them.`, 'warning');
}

const keys = [
  ['Enter', 'sends; while a run is busy, to be read at its next step'],
  ['Alt-Enter', 'a new line (also \\ before Enter)'],
  ['Esc, Ctrl-C', 'stops the run; Ctrl-C twice or Ctrl-D leaves'],
  ['↑ ↓, Tab', 'what was sent before; the rest of a command'],
  ['Ctrl-A -E -W -U -K -Y', 'as in a shell; Ctrl-Z stops the program, `fg` goes on'],
];

function help({ columns, print }: SlashContext): void {
  const rows = Object.entries(commands).map(([name, { takes, does }]) => [`/${name} ${takes}`.trim(), does]);
  const layout: readonly Column[] = [{ title: '' }, { title: '', canCut: true }];
  const lines = [...table(layout, rows, columns), '', ...table(layout, keys, columns)];
  print([{ speaker: 'notice', tone: 'plain', text: lines.join('\n') }]);
}

/** The name that was most likely meant; `undefined` where none is near. */
function nearestName(typed: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, distance: name.startsWith(typed) ? 0 : distanceOf(typed.slice(0, 40), name) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(best.name.length / 2)) ? best.name : undefined;
}

/** Letters to insert, delete, replace, or swap with their neighbour. */
function distanceOf(from: string, to: string): number {
  let older: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (older[column - 2] ?? Infinity) + 1 : Infinity,
      );
    }
    older = above;
    above = current;
  }
  return above[to.length] ?? 0;
}
