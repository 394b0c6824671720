import { CommandFailure } from '../failure.ts';
import { countOf } from '../terminal/numbers.ts';
import { exitCode } from '../exit-code.ts';
import { faultSentence } from '@throughline/config';
import { askTrust } from './ask-trust.ts';
import { loadConfig } from './load-config.ts';
import { storeTrust } from './trust-store.ts';
import { trustQuestionOf, untrusted, wantedKeys } from './with-trust.ts';
import { printable } from '../terminal/printable.ts';
import type { Config, ConfigFault, ConfigFile } from '@throughline/config';
import type { Cli } from '../cli.ts';
import type { LoadedConfig } from './load-config.ts';
import type { TrustQuestion } from './with-trust.ts';

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
