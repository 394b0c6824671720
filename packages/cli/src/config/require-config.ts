import { CommandFailure } from '../failure.ts';
import { countOf } from '../terminal/numbers.ts';
import { exitCode } from '../exit-code.ts';
import { faultSentence } from '@throughline/config';
import { loadConfig } from './load-config.ts';
import { printable } from '../terminal/printable.ts';
import type { Config } from '@throughline/config';
import type { Host } from '../host.ts';

/**
 * The configuration, for a command that works with it. Warnings and faults are told on standard error, a line each.
 *
 * @param option what `--config` names
 * @throws {CommandFailure} `bad-config` with all faults; `unreadable-file`
 */
export async function requireConfig(host: Host, option?: string): Promise<Config> {
  const { result } = await loadConfig(host, option);
  for (const warning of result.warnings) host.err(`throughline: ${printable(faultSentence(warning))}\n`);
  if (result.type === 'config') return result.config;
  const { faults } = result;
  for (const fault of faults) host.err(`throughline: ${printable(faultSentence(fault))}\n`);
  throw new CommandFailure('bad-config', `The configuration has ${countOf(faults.length, 'fault')}.`, {
    exitCode: exitCode.unreadable,
    details: { faults },
  });
}
