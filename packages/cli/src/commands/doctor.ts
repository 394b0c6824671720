import { countOf } from '../terminal/numbers.ts';
import { createPage } from '../terminal/page.ts';
import { createProgress } from '../terminal/progress.ts';
import { examine } from '../doctor/examine.ts';
import { exitCode } from '../exit-code.ts';
import { jsonText } from '../terminal/json.ts';
import { loadConfig } from '../config/load-config.ts';
import { printFindings } from '../doctor/print-findings.ts';
import { run } from './run.ts';
import type { CommonOptions } from './run.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Host } from '../host.ts';

export interface DoctorOptions extends CommonOptions {
  /** The configuration, instead of the one that is found. */
  readonly config?: string;
}

/** `throughline doctor`: whether all that a session needs is there and works. */
export function doctor(options: DoctorOptions, host: Host): Promise<ExitCode> {
  return run(host, options, async () => {
    const loaded = await loadConfig(host, options.config);
    const progress = createProgress(host);
    progress.say('Looking at store, model, servers …');
    const findings = await examine({
      loaded,
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
