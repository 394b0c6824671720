import { countOf } from '../terminal/numbers.ts';
import { createPage, createProgress } from '../terminal/page.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { jsonText, padEnd, printable, wrap } from '../terminal/text.ts';
import { loadConfig } from '../config/load-config.ts';
import { run } from '../composition/cli.ts';
import { trustQuestionOf, untrusted } from '../config/trust.ts';
import { checkConfig, checkRuntime, checkSandbox, mcpChecks } from '../doctor/check-setup.ts';
import { checkDisk, checkStore, checkWorkspace, storeFolder } from '../doctor/check-files.ts';
import { checkPort } from '../doctor/check-server.ts';
import { checkModel } from '../doctor/check-model.ts';
import { proxyChecks } from '../doctor/check-proxy.ts';
import { runCheck } from '../doctor/finding.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { OwnSide } from '../doctor/check-server.ts';
import type { Check, Finding } from '../doctor/finding.ts';
import type { Page, Style } from '../terminal/page.ts';
import type { Composition } from '../composition/composition.ts';
import type { Config } from '@throughline/config';
import type { LoadedConfig } from '../config/load-config.ts';
import type { TrustQuestion } from '../config/trust.ts';

export interface DoctorOptions extends CommonOptions {
  /** The configuration, instead of the one that is found. */
  readonly config?: string;
  /** The configuration of the folder may have what it wants. */
  readonly trust?: boolean;
}

/** `throughline doctor`: whether all that a session needs is there and works. */
export function doctor(options: DoctorOptions, cli: Cli, version: string): Promise<ExitCode> {
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
      own: { version, environment: cli.env },
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

const styles: { readonly [State in Finding['state']]: keyof Style } = {
  ok: 'good',
  warn: 'warning',
  fail: 'bad',
};

const stateColumns = 6;
const checkColumns = 18;

/** A line per finding: state, what was looked at, what was found. */
function printFindings(findings: readonly Finding[], page: Page): void {
  for (const { state, check, message } of findings) {
    const room = page.columns - stateColumns - checkColumns;
    const [first = '', ...rest] = printable(message.replace(/\s*\n\s*/g, ' · '))
      .split('\n')
      .flatMap((line) => wrap(line, room));
    const label = padEnd(printable(check).slice(0, checkColumns - 1), checkColumns);
    const indent = ' '.repeat(stateColumns + checkColumns);
    page.lines([
      `${page.style[styles[state]](padEnd(state, stateColumns))}${label}${first}`,
      ...rest.map((line) => indent + line),
    ]);
  }
}

interface Examination {
  readonly loaded: LoadedConfig;
  /** What its file wants, and does not have, because nobody trusts it yet. */
  readonly question?: TrustQuestion;
  readonly composition: Composition;
  /** As `process.versions.node` has it. */
  readonly nodeVersion: string;
  readonly own: OwnSide;
}

/** All findings, in the order of the checks. The checks run side by side, and none can break another. */
export async function examine(examination: Examination): Promise<readonly Finding[]> {
  const { loaded, question, composition, nodeVersion, own } = examination;
  const { result } = loaded;
  const checks = [
    checkRuntime(nodeVersion),
    checkConfig(loaded, question),
    ...(result.type === 'config' ? configuredChecks(result.config, composition, own) : [checkSandbox(false)]),
  ];
  const findings = await Promise.all(checks.map((check) => runCheck(check, composition.timer)));
  return findings.flat();
}

function configuredChecks(config: Config, composition: Composition, own: OwnSide): readonly Check[] {
  const { model, summarizer, context, agent, server, store } = config;
  return [
    checkStore(store, composition),
    checkDisk(storeFolder(store) ?? agent.workspace),
    checkModel({ key: 'model', model, window: context.window }, composition),
    ...(summarizer === 'same' ? [] : [checkModel({ key: 'summarizer', model: summarizer }, composition)]),
    checkWorkspace(config),
    ...mcpChecks(config),
    ...proxyChecks(config, own.environment, composition),
    checkPort(server, own),
    checkSandbox(agent.sandboxNetwork),
  ];
}
