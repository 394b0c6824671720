import { dirname, join, resolve } from 'node:path';
import { homeOf, userFolder } from './environment/user-folders.ts';
import { isBuiltInProfile } from './sections/context-section.ts';
import { nodeAt } from './yaml/located.ts';
import { resolveModel } from './resolve-model.ts';
import type { Config, ContextConfig, StoreConfig } from './config.ts';
import type { Environment } from './environment/variables.ts';
import type { LocatedMap } from './yaml/located.ts';
import type { WrittenConfig } from './config-schema.ts';

/** What a configuration stands in. */
export interface Surroundings {
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

  function store({ type, file: given, blobs }: WrittenConfig['store']): StoreConfig {
    if (type === 'memory') return { type };
    const folder = userFolder('data', environment) ?? join(around.workingFolder, '.throughline');
    const file = given === undefined ? join(folder, 'throughline.db') : pathAt(given, 'store', 'file');
    const beside = join(dirname(file), 'blobs');
    return {
      type,
      file,
      blobs: {
        folder: blobs.folder === undefined ? beside : pathAt(blobs.folder, 'store', 'blobs', 'folder'),
      },
    };
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
