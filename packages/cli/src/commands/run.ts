import { failureOf } from '../failure.ts';
import { jsonText } from '../terminal/json.ts';
import { printable, printableLines } from '../terminal/printable.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Failure } from '../failure.ts';
import type { Cli } from '../cli.ts';

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
