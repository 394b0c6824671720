import { relative } from 'node:path';
import type { Guard } from './guard.ts';
import type { Survey } from './survey.ts';

// What the system says of a mount that is read-only, or in the way, and what git makes of it.
const refusal = /read-only file system|device or resource busy|could not (?:lock|write) config file/i;

/**
 * Why a command may have failed at something guarded, and what to do instead; `undefined` where its output says nothing
 * of the kind.
 */
export function protectedWords(guard: Guard, survey: Survey, output: string): string | undefined {
  const refused = output.split('\n').filter((line) => refusal.test(line));
  const paths = [...survey.guarded].map((path) => relative(guard.root, path));
  const named = paths.filter((path) => refused.some((line) => line.includes(endOf(path))));
  if (named.length === 0) return undefined;
  const isSetting = named.some((path) => /(^|\/)\.git\/config$/i.test(path));
  const git = isSetting ? '; for one command git takes a setting as git -c name=value' : '';
  const [are, it] = named.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return (
    `${named.slice(0, 5).join(', ')} ${are} protected from commands, because programs outside the sandbox run or obey ` +
    `${it}: write and edit change ${it} and ask the user${git}`
  );
}

/** As far as a program in a folder below would name it. */
function endOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}
