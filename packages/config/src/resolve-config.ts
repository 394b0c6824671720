import { dirname, join, resolve } from 'node:path';
import { homeOf, userFolder } from './environment/config-candidates.ts';
import { isBuiltInProfile } from './schema/context-section.ts';
import { nodeAt } from './yaml/located.ts';
import { demoProvider, isLocalHost, providers } from './schema/providers.ts';
import { keyVariable } from './environment/variables.ts';
import { writtenModel } from './schema/model-section.ts';
import type { Config, ContextConfig, ModelConfig, StoreConfig, WrittenConfig } from './schema/config.ts';
import type { Environment } from './environment/variables.ts';
import type { LocatedMap } from './yaml/located.ts';
import type { Protocol, Provider } from './schema/providers.ts';
import type { WrittenModel } from './schema/model-section.ts';

/** What a configuration stands in. */
interface Surroundings {
  readonly environment: Environment;
  /** Absolute; paths of the environment begin here. */
  readonly workingFolder: string;
  /** Absolute; paths of the file begin here. */
  readonly fileFolder: string;
}

/** Fills in what depends on where one is. */
export function resolveConfig(written: WrittenConfig, root: LocatedMap, around: Surroundings): Config {
  const { model = 'demo', summarizer = 'same', agent, context, mcpServers, proxy } = written;
  const { environment } = around;

  /** A path as it was written at `key`, from the folder of whoever wrote it. */
  function pathAt(path: string, ...key: readonly string[]): string {
    const home = homeOf(environment);
    const isOfHome = home !== undefined && /^~(?=$|[/\\])/.test(path);
    if (isOfHome) return join(home, path.slice(1));
    const isOfFile = nodeAt(root, key)?.place?.type === 'file';
    return resolve(isOfFile ? around.fileFolder : around.workingFolder, path);
  }

  function contextAt<Context extends ContextConfig>(one: Context, ...key: readonly string[]): Context {
    const { options } = one.compaction;
    if (isBuiltInProfile(options.profile)) return one;
    const profile = pathAt(options.profile, ...key, 'compaction', 'options', 'profile');
    return { ...one, compaction: { ...one.compaction, options: { ...options, profile } } };
  }

  function store(written: WrittenConfig['store']): StoreConfig {
    const { type, file: given, blobs, databaseUrl = '', connections } = written;
    if (type === 'memory') return { type };
    const blobFolder =
      blobs.folder === undefined ? undefined : pathAt(blobs.folder, 'store', 'blobs', 'folder');
    if (type === 'postgres') {
      const { bucket: address, endpoint, region } = blobs;
      const at = { ...(endpoint !== undefined && { endpoint }), ...(region !== undefined && { region }) };
      const bucket = address !== undefined && { bucket: { address, ...at } };
      return { type, databaseUrl, connections, blobs: { folder: blobFolder, ...bucket } };
    }
    const folder = userFolder('data', environment) ?? join(around.workingFolder, '.throughline');
    const file = given === undefined ? join(folder, 'throughline.db') : pathAt(given, 'store', 'file');
    return { type, file, blobs: { folder: blobFolder ?? join(dirname(file), 'blobs') } };
  }

  const servers = Object.entries(mcpServers).map(([name, server]) => {
    if (!('cwd' in server) || server.cwd === undefined) return [name, server] as const;
    return [name, { ...server, cwd: pathAt(server.cwd, 'mcpServers', name, 'cwd') }] as const;
  });
  const routes = Object.entries(proxy.routes).map(([name, route]) => {
    const own = route.context && contextAt(route.context, 'proxy', 'routes', name, 'context');
    return [name, own ? { ...route, context: own } : route] as const;
  });
  const workspace =
    agent.workspace === undefined ? around.workingFolder : pathAt(agent.workspace, 'agent', 'workspace');
  return {
    ...written,
    model: resolveModel(model, environment),
    summarizer: summarizer === 'same' ? 'same' : resolveModel(summarizer, environment),
    agent: { ...agent, workspace },
    context: contextAt(context, 'context'),
    mcpServers: Object.fromEntries(servers),
    store: store(written.store),
    proxy: { ...proxy, routes: Object.fromEntries(routes) },
  };
}

/** A model with address and key. The key of a provider goes to that provider's own address only. */
function resolveModel(value: string | WrittenModel, environment: Environment): ModelConfig {
  const written = writtenModel(value);
  const { provider, name, headers = {}, windowTokens, maxOutputTokens, temperature } = written;
  if (provider === demoProvider) return { provider, name: demoProvider, windowTokens };
  const known: Provider = providers[provider];
  const baseUrl = addressOf(written.baseUrl ?? known.baseUrl ?? '', known.protocol);
  const ownKeyEnv = isSameOrigin(baseUrl, known.baseUrl) ? known.apiKeyEnv : undefined;
  const apiKeyEnv = written.apiKeyEnv ?? ownKeyEnv ?? keyVariable;
  const apiKey = written.apiKey ?? environment[apiKeyEnv]?.trim();
  return {
    provider,
    protocol: known.protocol,
    name: name ?? '',
    baseUrl,
    endpoint: isLocalHost(hostOf(baseUrl)) ? 'local' : 'hosted',
    apiKeyEnv,
    needsKey: written.apiKeyEnv !== undefined || ownKeyEnv !== undefined,
    apiKey: apiKey === '' ? undefined : apiKey,
    headers,
    windowTokens,
    maxOutputTokens,
    temperature,
    timeoutMs: written.timeoutMs,
    idleTimeoutMs: written.idleTimeoutMs,
  };
}

/** Without slashes at the end; Anthropic's driver adds the version itself, and people write it. */
function addressOf(written: string, protocol: Protocol): string {
  const bare = written.replace(/\/{1,9}$/, '');
  return protocol === 'anthropic' ? bare.replace(/\/v1$/, '') : bare;
}

function isSameOrigin(one: string, other: string | undefined): boolean {
  return other !== undefined && URL.canParse(one) && new URL(one).origin === new URL(other).origin;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}
