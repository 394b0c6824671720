import { CommandFailure } from '../failure.ts';
import { countOf } from '../terminal/numbers.ts';
import { exitCode } from '../exit-code.ts';
import { faultSentence } from '@throughline/config';
import { loadConfig } from './load-config.ts';
import { printable } from '../terminal/printable.ts';
import type { Config, ConfigFault } from '@throughline/config';
import type { Host } from '../host.ts';

/**
 * The configuration, for a command that works with it. Warnings and faults are told on standard error, a line each.
 *
 * @param option what `--config` names
 * @param options names of options by the variables that stand for them in `host.env`: who typed one set no variable
 * @throws {CommandFailure} `bad-config` with all faults; `unreadable-file`
 */
export async function requireConfig(
  host: Host,
  option?: string,
  options: Readonly<Record<string, string>> = {},
): Promise<Config> {
  const { result } = await loadConfig(host, option);
  const tell = (fault: ConfigFault): void => host.err(`throughline: ${printable(faultSentence(fault))}\n`);
  for (const warning of result.warnings) tell(placedAt(options, warning));
  if (result.type === 'config') return result.config;
  const faults = result.faults.map((fault) => placedAt(options, fault));
  for (const fault of faults) tell(fault);
  throw new CommandFailure('bad-config', `The configuration has ${countOf(faults.length, 'fault')}.`, {
    exitCode: exitCode.unreadable,
    details: { faults },
  });
}

function placedAt(options: Readonly<Record<string, string>>, fault: ConfigFault): ConfigFault {
  if (fault.place?.type !== 'environment') return fault;
  const name = options[fault.place.variable];
  return name === undefined ? fault : { ...fault, place: { type: 'environment', variable: name } };
}
