import { checkConfig } from './check-config.ts';
import { checkDisk } from './check-disk.ts';
import { checkModel } from './check-model.ts';
import { checkPort } from './check-port.ts';
import { checkRuntime } from './check-runtime.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkStore, storeFolder } from './check-store.ts';
import { checkWorkspace } from './check-workspace.ts';
import { mcpChecks } from './check-mcp.ts';
import { runCheck } from './run-check.ts';
import type { Check, Finding } from './finding.ts';
import type { Composition } from '../composition/composition.ts';
import type { Config } from '@throughline/config';
import type { LoadedConfig } from '../config/load-config.ts';
import type { TrustQuestion } from '../config/with-trust.ts';

export interface Examination {
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
