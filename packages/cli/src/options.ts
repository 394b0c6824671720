import { exitCodeHelp } from './outcome/exit-code.ts';
import { wrap } from './terminal/text.ts';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import type { ExitCode } from './outcome/exit-code.ts';
import type { Cli } from './composition/cli.ts';

/** Where a command is added, and what it is run with. */
export interface Registration {
  readonly program: Command;
  readonly cli: Cli;
  readonly version: string;
  /** Told how it ended. */
  readonly report: (code: ExitCode) => void;
}

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

const units: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };
const mostTokens = 100_000_000;

/** A whole number of tokens: `64000`, `64,000`, `64k`, `1.5m`. */
export function parseTokens(text: string): number {
  const match = /^(\d{1,3}(?:,\d{3})+|\d[\d_]*)(\.\d+)?([km]?)$/i.exec(text.trim());
  const [, whole = '', fraction = '', unit = ''] = match ?? [];
  const tokens = match
    ? Number(whole.replace(/[,_]/g, '') + fraction) * (units[unit.toLowerCase()] ?? 1)
    : Number.NaN;
  // 1.1k is 1100.0000000000002 in binary, and 0.5 is no number of tokens.
  const rounded = Math.round(tokens);
  if (Math.abs(tokens - rounded) < 1e-6 && rounded >= 1 && rounded <= mostTokens) return rounded;
  throw new InvalidArgumentError(
    'Expected a number of tokens: a whole one from 1 to 100,000,000, such as 64000, 64k or 1m.',
  );
}

/** What people say for short. */
const targetAliases: Readonly<Record<string, string>> = { openai: 'openai-chat' };

/** One of the formats, or what people say for it: `openai` is `openai-chat`. */
export function parseTarget<Name extends string>(names: readonly Name[]): (text: string) => Name {
  return (text) => {
    const wanted = Object.hasOwn(targetAliases, text) ? targetAliases[text] : text;
    const name = names.find((one) => one === wanted);
    if (name !== undefined) return name;
    throw new InvalidArgumentError(`Expected one of ${names.join(', ')}.`);
  };
}

/** Names of a list, with commas between them or the option repeated: those so far, and what was typed now. */
export function parseNames<Name extends string>(
  names: readonly Name[],
): (text: string, before?: readonly Name[]) => readonly Name[] {
  return (text, before = []) => [
    ...before,
    ...text.split(',').map((typed) => {
      const name = names.find((one) => one === typed.trim());
      if (name !== undefined) return name;
      throw new InvalidArgumentError(`Expected one or more of ${names.join(', ')}.`);
    }),
  ];
}

/** Recall ids of messages: `m12,m40`. Returns their ordinals. */
export function parsePins(text: string): readonly number[] {
  return text.split(',').map((id) => {
    const match = /^\s*m(\d{1,9})(?:\.\d+)?\s*$/.exec(id);
    if (match) return Number(match[1]);
    throw new InvalidArgumentError('Expected recall ids of messages such as m12,m40; `inspect` shows them.');
  });
}

/** Seconds, as milliseconds. */
export function parseSeconds(text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (seconds >= 0.001 && seconds <= 86_400) return Math.round(seconds * 1_000);
  throw new InvalidArgumentError('Expected a number of seconds from 0.001 to 86,400, such as 60 or 1.5.');
}

/** The address of a model server. */
export function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && !url.username && !url.password)
    return text;
  throw new InvalidArgumentError(
    'Expected an http or https address such as http://localhost:1234/v1, without a password.',
  );
}
