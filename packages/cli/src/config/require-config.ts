import { CommandFailure } from '../outcome/failure.ts';
import { countOf } from '../terminal/numbers.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { faultSentence } from '@throughline/config';
import { loadConfig } from './load-config.ts';
import { storeTrust, trustQuestionOf, untrusted, wantedKeys } from './trust.ts';
import { printable } from '../terminal/text.ts';
import { createInterface } from 'node:readline';
import type { Config, ConfigFault, ConfigFile } from '@throughline/config';
import type { Cli } from '../composition/cli.ts';
import type { LoadedConfig } from './load-config.ts';
import type { TrustQuestion } from './trust.ts';
import type { Terminal } from '../terminal/keyboard.ts';

export interface RequireOptions {
  /** What `--config` names. */
  readonly file?: string | undefined;
  /** Names of options by the variables that stand for them in `cli.env`: who typed one set no variable. */
  readonly options?: Readonly<Record<string, string>>;
  /** Whether a file of the folder may have what it wants. @default what is stored, else the person at the terminal is asked */
  readonly trust?: boolean | undefined;
  /** Nobody is to be asked, although there is a terminal. @default false */
  readonly isSilent?: boolean;
}

export interface RequiredConfig {
  readonly config: Config;
  /** Where it is from. */
  readonly file: ConfigFile | undefined;
}

/**
 * The configuration, for a command that works with it. Warnings and faults are told on standard error, a line each.
 *
 * @throws {CommandFailure} `bad-config` with all faults; `unreadable-file`; `not-trusted`
 */
export async function requireConfig(cli: Cli, required: RequireOptions = {}): Promise<RequiredConfig> {
  const { options = {} } = required;
  const { result, file } = await asTrusted(await loadConfig(cli, required.file), required, cli);
  const tell = (fault: ConfigFault): void => cli.err(`throughline: ${printable(faultSentence(fault))}\n`);
  for (const warning of result.warnings) tell(placedAt(options, warning));
  if (result.type === 'config') return { config: result.config, file };
  const faults = result.faults.map((fault) => placedAt(options, fault));
  for (const fault of faults) tell(fault);
  throw new CommandFailure('bad-config', `The configuration has ${countOf(faults.length, 'fault')}.`, {
    exitCode: exitCode.unreadable,
    details: { faults },
  });
}

/** What a file of the folder wants counts when it is trusted: by the command line, by what is stored, or by an answer. */
async function asTrusted(
  loaded: LoadedConfig,
  { trust, isSilent = false }: RequireOptions,
  cli: Cli,
): Promise<LoadedConfig> {
  if (trust === true) return loaded;
  const question = await trustQuestionOf(loaded, cli);
  if (!question) return loaded;
  if (trust === undefined && (isSilent || !cli.terminal)) throw notTrusted(question);
  const answer = trust === false || !cli.terminal ? 'without' : await askTrust(question, cli, cli.terminal);
  if (answer === 'leave') throw notTrusted(question);
  if (answer === 'trust') {
    if (!(await storeTrust(question.file, cli)))
      cli.err('throughline: that could not be stored: it counts for now.\n');
    return loaded;
  }
  cli.err(
    `throughline: ${printable(question.file.path)} is not trusted; without ${printable(wantedKeys(question.wants))}.\n`,
  );
  return untrusted(loaded, cli);
}

function notTrusted(question: TrustQuestion): CommandFailure {
  const { file, wants, hasChanged } = question;
  const message =
    `${printable(file.path)} ${hasChanged ? 'has changed since it was trusted' : 'is not trusted'}, and wants ` +
    `${printable(wantedKeys(wants))}. Look at it (throughline config check), then answer once on a terminal, or give ` +
    '--trust; --no-trust goes on without these keys.';
  return new CommandFailure('not-trusted', message, {
    exitCode: exitCode.unreadable,
    details: { file: file.path, wants },
  });
}

function placedAt(options: Readonly<Record<string, string>>, fault: ConfigFault): ConfigFault {
  if (fault.place?.type !== 'environment') return fault;
  const name = options[fault.place.variable];
  return name === undefined ? fault : { ...fault, place: { type: 'environment', variable: name } };
}

type TrustAnswer = 'trust' | 'without' | 'leave';

/** Shows what a file of the folder wants and asks the person at the terminal. */
async function askTrust(question: TrustQuestion, cli: Cli, terminal: Terminal): Promise<TrustAnswer> {
  cli.err(`${trustText(question)}\n`);
  cli.err('y: it may, until the file changes · n: go on without these keys · q: leave\n');
  const lines = createInterface({
    input: terminal.input,
    output: terminal.output,
    prompt: 'Trust it? [y/n/q] ',
  });
  try {
    lines.prompt();
    for await (const line of lines) {
      const answer = answers.get(line.trim().toLowerCase());
      if (answer !== undefined) return answer;
      cli.err('Answer y, n or q, and Enter.\n');
    }
    return 'leave';
  } finally {
    lines.close();
  }
}

const answers: ReadonlyMap<string, TrustAnswer> = new Map([
  ['y', 'trust'],
  ['yes', 'trust'],
  ['n', 'without'],
  ['no', 'without'],
  ['q', 'leave'],
]);

/** What the file wants, a line per key. */
function trustText({ file, wants, hasChanged }: TrustQuestion): string {
  const changed = hasChanged ? ' It has changed since you trusted it.' : '';
  const rows = wants.map(({ key, value }) => `  ${printable(key)}: ${printable(value)}`);
  return [
    `The configuration of this folder, ${printable(file.path)}, wants what may start programs, send keys or ` +
      `conversations to an address, or let tools do more.${changed}`,
    ...rows,
  ].join('\n');
}
