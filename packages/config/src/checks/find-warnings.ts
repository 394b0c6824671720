import { faultAt } from '../config-fault.ts';
import { keyName, nodeAt, placeAt } from '../yaml/located.ts';
import { nearestKey } from './nearest-key.ts';
import type { StrategyName } from '@throughline/core';
import type { WrittenConfig } from '../config-schema.ts';
import type { ConfigFault } from '../config-fault.ts';
import type { Located } from '../yaml/located.ts';

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
  context: WrittenConfig['context'],
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
