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
import type { Host } from '../host.ts';

export interface DoctorOptions extends CommonOptions {
  /** The configuration, instead of the one that is found. */
  readonly config?: string;
  /** The configuration of the folder may have what it wants. */
  readonly trust?: boolean;
}

/** `throughline doctor`: whether all that a session needs is there and works. */
export function doctor(options: DoctorOptions, host: Host): Promise<ExitCode> {
  return run(host, options, async () => {
    const found = await loadConfig(host, options.config);
    // Servers are started and keys are sent: not for a file that nobody trusts.
    const question = options.trust === true ? undefined : await trustQuestionOf(found, host);
    const loaded = question ? untrusted(found, host) : found;
    const progress = createProgress(host);
    progress.say('Looking at store, model, servers …');
    const findings = await examine({
      loaded,
      ...(question && { question }),
      composition: await host.compose(),
      nodeVersion: process.versions.node,
    }).finally(progress.clear);
    const failed = findings.filter(({ state }) => state === 'fail').length;
    print(findings, failed, options, host);
    return failed === 0 ? exitCode.ok : exitCode.notGood;
  });
}

function print(findings: readonly Finding[], failed: number, options: DoctorOptions, host: Host): void {
  if (options.json === true) return host.out(jsonText({ version: 1, isWell: failed === 0, findings }));
  const page = createPage(host, options);
  printFindings(findings, page);
  host.out(page.text());
  if (failed > 0) host.err(`throughline: ${countOf(failed, 'check')} failed.\n`);
}
