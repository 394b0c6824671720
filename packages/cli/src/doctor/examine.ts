import { checkConfig, checkPort, checkRuntime, checkSandbox, mcpChecks } from './check-setup.ts';
import { checkDisk, checkStore, storeFolder, checkWorkspace } from './check-files.ts';
import { checkModel } from './check-model.ts';
import { fail } from './finding.ts';
import type { Check, Finding } from './finding.ts';
import type { Composition } from '../composition/composition.ts';
import type { Config } from '@throughline/config';
import type { LoadedConfig } from '../config/load-config.ts';
import type { TrustQuestion } from '../config/trust.ts';
import type { Timer } from '@throughline/ports';

interface Examination {
  readonly loaded: LoadedConfig;
  /** What its file wants, and does not have, because nobody trusts it yet. */
  readonly question?: TrustQuestion;
  readonly composition: Composition;
  /** As `process.versions.node` has it. */
  readonly nodeVersion: string;
}

/** All findings, in the order of the checks. The checks run side by side, and none can break another. */
export async function examine(examination: Examination): Promise<readonly Finding[]> {
  const { loaded, question, composition, nodeVersion } = examination;
  const { result } = loaded;
  const checks = [
    checkRuntime(nodeVersion),
    checkConfig(loaded, question),
    ...(result.type === 'config' ? configuredChecks(result.config, composition) : [checkSandbox(false)]),
  ];
  const findings = await Promise.all(checks.map((check) => runCheck(check, composition.timer)));
  return findings.flat();
}

function configuredChecks(config: Config, composition: Composition): readonly Check[] {
  const { model, summarizer, context, agent, server, store } = config;
  return [
    checkStore(store, composition),
    checkDisk(storeFolder(store) ?? agent.workspace),
    checkModel({ key: 'model', model, window: context.window }, composition),
    ...(summarizer === 'same' ? [] : [checkModel({ key: 'summarizer', model: summarizer }, composition)]),
    checkWorkspace(config),
    ...mcpChecks(config),
    checkPort(server),
    checkSandbox(agent.sandboxNetwork),
  ];
}

const usualLimitMs = 15_000;

/** The findings of one check, whatever it does: one that throws, or does not end in time, has failed. */
export async function runCheck(
  { name, run, limitMs = usualLimitMs }: Check,
  timer: Timer,
): Promise<readonly Finding[]> {
  const late = new AbortController();
  const answered = new AbortController();
  const found = (async () => run(late.signal))().catch((error: unknown) => [fail(name, sentenceOf(error))]);
  const isLate = timer.wait(limitMs, answered.signal).then((end): readonly Finding[] => {
    if (end === 'elapsed') late.abort();
    return [fail(name, `no answer within ${Math.round(limitMs / 1_000)} seconds.`)];
  });
  try {
    return await Promise.race([found, isLate]);
  } finally {
    answered.abort();
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
