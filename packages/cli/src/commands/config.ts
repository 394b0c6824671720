import { countOf } from '../terminal/numbers.ts';
import { createPage } from '../terminal/page.ts';
import { exitCode } from '../exit-code.ts';
import { jsonSchema, maskSecrets } from '@throughline/config';
import { jsonText } from '../terminal/json.ts';
import { loadConfig } from '../config/load-config.ts';
import { printable } from '../terminal/printable.ts';
import { printConfigCheck } from '../config/print-config-check.ts';
import { run } from './run.ts';
import { trustQuestionOf } from '../config/with-trust.ts';
import type { CommonOptions } from './run.ts';
import type { ConfigCheck } from '../config/config-check.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Cli } from '../cli.ts';
import type { LoadedConfig } from '../config/load-config.ts';

/** `throughline config check [FILE]`: what is configured, from where, and what is wrong with it. Starts nothing. */
export function configCheck(file: string | undefined, options: CommonOptions, cli: Cli): Promise<ExitCode> {
  return run(cli, options, async () => {
    const loaded = await loadConfig(cli, file);
    const question = await trustQuestionOf(loaded, cli);
    if (options.json === true)
      cli.out(jsonText({ version: 1, ...checkOf(loaded), ...(question && { untrusted: question.wants }) }));
    else {
      const page = createPage(cli, options);
      printConfigCheck(loaded, page, question);
      cli.out(page.text());
    }
    const { result } = loaded;
    if (result.type === 'config') return exitCode.ok;
    const name = loaded.file?.name ?? 'The environment';
    cli.err(`throughline: ${printable(name)} has ${countOf(result.faults.length, 'fault')}.\n`);
    return exitCode.notGood;
  });
}

function checkOf({ file, searched, result }: LoadedConfig): ConfigCheck {
  const { variables, warnings } = result;
  return {
    isValid: result.type === 'config',
    file: file?.path ?? null,
    searched,
    variables,
    config: result.type === 'config' ? maskSecrets(result.config) : null,
    faults: result.type === 'faults' ? result.faults : [],
    warnings,
  };
}

/** `throughline config schema`: the JSON schema for editors. */
export function configSchema(cli: Cli): ExitCode {
  cli.out(jsonText(jsonSchema()));
  return exitCode.ok;
}
