import { exitCodeHelp } from './exit-code.ts';
import { wrap } from './terminal/wrap.ts';
import type { Command } from 'commander';
import type { Cli } from './cli.ts';

/** Options of every command that reports, and the exit codes below its help. */
export function addCommon(command: Command, cli: Cli): Command {
  return command
    .option('--json', 'print JSON, in the shape that docs/command-line.md describes')
    .option('--no-color', 'print no colours (also: NO_COLOR)')
    .addHelpText('after', `\n${fitted(exitCodeHelp, cli)}`);
}

/** The text with its lines broken where the terminal ends. */
export function fitted(text: string, { columns }: Cli): string {
  return text
    .split('\n')
    .flatMap((line) => (line.length <= columns ? [line] : wrap(line, Math.max(40, columns))))
    .join('\n');
}
