import { failureOf } from '../outcome/failure.ts';
import { jsonText, printable, printableLines } from '../terminal/text.ts';
import type { Composition } from './composition.ts';
import type { Terminal } from '../terminal/keyboard.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { Failure } from '../outcome/failure.ts';
import type { Pipes } from '@throughline/server';

/** What a command needs of the world around it; `main.ts` hands in the real one, tests a captured one. */
export interface Cli {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Width of the output, in columns. */
  readonly columns: number;
  /** Standard output is a terminal that shows colours, and nobody forbade them. */
  readonly hasColor: boolean;
  /** Standard error is a terminal: progress may be shown. */
  readonly showsProgress: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From now on an interrupt from the keyboard aborts this signal; before, it ends the program. */
  readonly watchInterrupts: () => AbortSignal;
  /** The same, and what a service manager sends to end the program does too. */
  readonly watchStops: () => AbortSignal;
  /** Standard input as text. */
  readonly readInput: () => AsyncIterable<string>;
  /**
   * Standard input and output for a protocol. From then on nothing else is written to standard output, and whoever
   * stops reading it does not end the program.
   */
  readonly openPipes: () => Pipes;
  /** Drivers and stores, loaded when somebody wants them. */
  readonly compose: () => Promise<Composition>;
  /** The folder the program was started in. */
  readonly workingFolder: string;
  /** Keyboard and screen; `undefined` where one of them is no terminal. */
  readonly terminal: Terminal | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Options that every command takes. */
export interface CommonOptions {
  readonly json?: boolean;
  /** `false`: `--no-color`. */
  readonly color?: boolean;
}

/**
 * Runs a command to its exit code. What it throws becomes one sentence on standard error (with `--json` also an
 * object on standard output), and a stack trace only for those who ask for one.
 */
export async function run(
  cli: Cli,
  { json }: CommonOptions,
  command: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await command();
  } catch (error) {
    const failure = failureOf(error);
    tell(cli, failure, error);
    if (json === true) cli.out(jsonText({ error: errorJson(failure) }));
    return failure.exitCode;
  }
}

/** One sentence on standard error. */
export function tell(cli: Cli, { message }: Failure, error: unknown): void {
  cli.err(`throughline: ${printable(message)}\n`);
  if (cli.env['THROUGHLINE_DEBUG'] && error instanceof Error)
    cli.err(`${printableLines(error.stack ?? '').join('\n')}\n`);
}

/** A failure as it stands in `--json`. */
export function errorJson({ code, message, details }: Failure): object {
  return { code, message, ...(details === undefined ? {} : { details }) };
}
