import { countOf } from '../terminal/numbers.ts';
import { createPage } from '../terminal/page.ts';
import { createProgress } from '../terminal/progress.ts';
import { examine } from '../doctor/examine.ts';
import { exitCode } from '../exit-code.ts';
import { jsonText } from '../terminal/json.ts';
import { loadConfig } from '../config/load-config.ts';
import { printFindings } from '../doctor/print-findings.ts';
import { run } from './run.ts';
import { trustQuestionOf, untrusted } from '../config/with-trust.ts';
import type { CommonOptions } from './run.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Cli } from '../cli.ts';

export interface DoctorOptions extends CommonOptions {
  /** The configuration, instead of the one that is found. */
  readonly config?: string;
  /** The configuration of the folder may have what it wants. */
  readonly trust?: boolean;
}

/** `throughline doctor`: whether all that a session needs is there and works. */
export function doctor(options: DoctorOptions, cli: Cli): Promise<ExitCode> {
  return run(cli, options, async () => {
    const found = await loadConfig(cli, options.config);
    // Servers are started and keys are sent: not for a file that nobody trusts.
    const question = options.trust === true ? undefined : await trustQuestionOf(found, cli);
    const loaded = question ? untrusted(found, cli) : found;
    const progress = createProgress(cli);
    progress.say('Looking at store, model, servers …');
    const findings = await examine({
      loaded,
      ...(question && { question }),
      composition: await cli.compose(),
      nodeVersion: process.versions.node,
    }).finally(progress.clear);
    const failed = findings.filter(({ state }) => state === 'fail').length;
    print(findings, failed, options, cli);
    return failed === 0 ? exitCode.ok : exitCode.notGood;
  });
}

function print(findings: readonly Finding[], failed: number, options: DoctorOptions, cli: Cli): void {
  if (options.json === true) return cli.out(jsonText({ version: 1, isWell: failed === 0, findings }));
  const page = createPage(cli, options);
  printFindings(findings, page);
  cli.out(page.text());
  if (failed > 0) cli.err(`throughline: ${countOf(failed, 'check')} failed.\n`);
}
