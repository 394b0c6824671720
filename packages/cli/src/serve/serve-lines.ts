import { modelNameOf } from './open-served-agent.ts';
import { shownFolder } from '../chat/state/start-lines.ts';
import { shownStore } from '../store/store-address.ts';
import type { Config, ConfigFile, StoreConfig } from '@throughline/config';

type Facts = readonly (readonly [name: string, value: string])[];

/** What is configured, for people: a name and a value a line, without secrets. */
export function configuredFacts(config: Config, file: ConfigFile | undefined): Facts {
  const { model, store, agent, server, proxy } = config;
  const routes = Object.entries(proxy.routes).map(([name, { upstream }]) => `/proxy/${name} → ${upstream}`);
  const isDemo = model.provider === 'demo';
  const owners = Object.keys(server.tokens).length + (server.tokenEnv === undefined ? 0 : 1);
  return [
    ['model', isDemo ? 'demo (a script, with real tools; --model names a real one)' : modelNameOf(model)],
    ['sessions', placeOf(store)],
    ['workspace', shownFolder(agent.workspace)],
    ['configuration', file ? shownFolder(file.path) : 'none: the defaults hold'],
    ...(routes.length === 0 ? [] : ([['proxy', routes.join(', ')]] as const)),
    ['callers', owners === 0 ? 'this machine, without a token' : `who shows one of ${owners} token(s)`],
  ];
}

function placeOf(store: StoreConfig): string {
  if (store.type === 'memory') return 'in memory: gone at the end';
  return store.type === 'sqlite' ? shownFolder(store.file) : shownStore(store);
}

const nameColumns = 15;

/** What stands on the screen of somebody who serves. */
export function serveLines(version: string, url: string, facts: Facts, tries: readonly string[]): string {
  return [
    `throughline ${version} serves at ${url}`,
    ...facts.map(([name, value]) => `  ${name.padEnd(nameColumns)}${value}`),
    '',
    'Try:',
    `  ${url} in a browser`,
    ...tries.map((line) => `  ${line}`),
    '',
    'Ctrl-C stops.',
    '',
  ].join('\n');
}
