import { faultAt } from '../yaml/config-fault.ts';
import { keyName, nodeAt, placeAt } from '../yaml/located.ts';
import { nearestKey } from '../schema/nearest-key.ts';
import type { StrategyName } from '@throughline/core/types';
import type { Config, WrittenConfig } from '../schema/config.ts';
import type { ConfigFault } from '../yaml/config-fault.ts';
import type { Located, LocatedMap } from '../yaml/located.ts';
import type { Environment } from '../environment/variables.ts';

/** Which strategies look at an option; what is not listed concerns all. */
const usedBy: Readonly<Record<string, readonly StrategyName[]>> = {
  preserveLastNTurns: ['reactive-overflow', 'pruning-agent', 'digest'],
  thresholdPercent: ['proactive-threshold', 'threshold-tail', 'middle-removal'],
  recentMessagesToKeep: ['threshold-tail'],
  keepPercent: ['proactive-threshold'],
};

const builtInTools = ['bash', 'read', 'write', 'edit', 'grep', 'glob', 'todo', 'recall', 'default'];

/** What is no fault and still not what somebody may think. */
export function findWarnings(config: WrittenConfig, root: Located): readonly ConfigFault[] {
  const routes = Object.entries(config.proxy.routes).flatMap(([name, { context }]) =>
    context ? contextWarnings(context, root, ['proxy', 'routes', name, 'context']) : [],
  );
  return [
    ...keyWarnings(root),
    ...contextWarnings(config.context, root, ['context']),
    ...routes,
    ...toolWarnings(config, root),
  ];
}

/** Files are copied, shown and committed. */
function keyWarnings(root: Located): ConfigFault[] {
  const message = 'a key in a file is soon in other hands; name its variable as apiKeyEnv instead.';
  return [
    ['model', 'apiKey'],
    ['summarizer', 'apiKey'],
  ].flatMap((path) => (placeAt(root, path)?.type === 'file' ? warnings(root, path, message) : []));
}

function contextWarnings(
  context: Pick<WrittenConfig['context'], 'compaction'>,
  root: Located,
  base: readonly string[],
): ConfigFault[] {
  const { strategy, trigger } = context.compaction;
  const isThreshold = (key: string): boolean => key === 'thresholdPercent' && trigger === 'threshold';
  const options = [...base, 'compaction', 'options'];
  return Object.entries(usedBy)
    .filter(([key, strategies]) => !strategies.includes(strategy) && !isThreshold(key))
    .flatMap(([key, names]) =>
      warnings(root, [...options, key], `does nothing with ${strategy}; it is for ${names.join(', ')}.`),
    );
}

function toolWarnings({ tools }: WrittenConfig, root: Located): ConfigFault[] {
  return Object.keys(tools).flatMap((name) => {
    const nearest = builtInTools.includes(name) ? undefined : nearestKey(name, builtInTools);
    return nearest === undefined
      ? []
      : warnings(root, ['tools', name], `is no built-in tool; did you mean ${nearest}?`);
  });
}

/** Only where somebody said it. */
function warnings(root: Located, path: readonly string[], message: string): ConfigFault[] {
  return nodeAt(root, path) ? [faultAt(placeAt(root, path), keyName(path), message)] : [];
}

/** Variables that hold nothing, and without which something will not work. A file may be checked where they are not. */
export function missingSecrets(
  { model, summarizer, server, proxy }: Config,
  environment: Environment,
  root: LocatedMap,
): readonly ConfigFault[] {
  const models = [
    ['model', model],
    ['summarizer', summarizer],
  ] as const;
  const keys = models.flatMap(([key, one]) =>
    one === 'same' || one.provider === 'demo' || !one.needsKey || one.apiKey !== undefined
      ? []
      : [[[key, 'apiKeyEnv'], one.apiKeyEnv] as const],
  );
  const named = [
    [['server', 'tokenEnv'], server.tokenEnv] as const,
    ...Object.entries(server.tokens).map(
      ([owner, one]) => [['server', 'tokens', owner, 'tokenEnv'], one.tokenEnv] as const,
    ),
    ...Object.entries(proxy.routes).map(
      ([name, route]) => [['proxy', 'routes', name, 'apiKeyEnv'], route.apiKeyEnv] as const,
    ),
  ].filter(([, variable]) => variable !== undefined && (environment[variable] ?? '') === '');
  return [...keys, ...named].map(([path, variable]) =>
    faultAt(placeAt(root, path), keyName(path), `the environment variable ${variable} is not set.`),
  );
}
