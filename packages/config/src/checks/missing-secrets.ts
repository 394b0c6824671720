import { faultAt } from '../config-fault.ts';
import { keyName, placeAt } from '../yaml/located.ts';
import type { Config } from '../config.ts';
import type { ConfigFault } from '../config-fault.ts';
import type { Environment } from '../environment/variables.ts';
import type { LocatedMap } from '../yaml/located.ts';

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
    ...Object.entries(proxy.routes).map(
      ([name, route]) => [['proxy', 'routes', name, 'apiKeyEnv'], route.apiKeyEnv] as const,
    ),
  ].filter(([, variable]) => variable !== undefined && (environment[variable] ?? '') === '');
  return [...keys, ...named].map(([path, variable]) =>
    faultAt(placeAt(root, path), keyName(path), `the environment variable ${variable} is not set.`),
  );
}
