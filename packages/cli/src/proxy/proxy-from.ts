import { createSummarisers, endpointModel } from './proxy-summarisers.ts';
import { createStrategy } from '@throughline/core/settings';
import { engineOptionsOf, isBuiltInProfile } from '@throughline/config';
import { findProfile } from '@throughline/core';
import { usageFailure } from '../outcome/failure.ts';
import type { Cli } from '../composition/cli.ts';
import type { Composition } from '../composition/composition.ts';
import type { Config, ContextConfig } from '@throughline/config';
import type { CallerQuota, ProxyRoute, ProxyRoutes, RoutePolicy } from '@throughline/proxy';
import type { OwnerUsage, ProxyStore, SessionStore } from '@throughline/ports';
import type { Quota } from '@throughline/agent';
import type { ServerLog, ServerOptions } from '@throughline/server';

type RouteConfig = Config['proxy']['routes'][string];

export interface ProxyFrom {
  readonly routes: readonly ProxyRoute[];
  readonly composition: Composition;
  readonly log: ServerLog;
  readonly maxBodyBytes: number;
  /** What lasts; without it everything is in memory. */
  readonly store?: ProxyStore;
  /** What callers may use. */
  readonly quota?: CallerQuota | undefined;
  /** Other processes keep theirs there, too, and answer the same clients. */
  readonly sharesStore?: boolean;
  readonly keep?: Pick<Config['proxy'], 'keepDays' | 'maxBytes'>;
  /** The route that has every address: nothing else is served. */
  readonly everything?: string;
}

/** The proxy of a configuration, in front of its upstreams. */
export async function proxyFrom({
  routes,
  composition,
  log,
  maxBodyBytes,
  everything,
  store,
  sharesStore = false,
  quota,
  keep,
}: ProxyFrom): Promise<ProxyRoutes> {
  // Whoever serves without routes does not load it.
  const { createProxyRoutes } = await import('@throughline/proxy');
  return createProxyRoutes(
    {
      clock: composition.clock,
      log,
      readOverflow: composition.readOverflow,
      discoverLimits: (endpoint, signal) => composition.discoverLimitsOf(endpointModel(endpoint), signal),
      summariserFor: createSummarisers(composition, log),
      ...(store && { store }),
      sharesStore,
      ...(quota && { quota }),
    },
    { routes, maxBodyBytes, ...(keep && { keep: { days: keep.keepDays, maxBytes: keep.maxBytes } }) },
    everything,
  );
}

/** The proxy beside the agent; `undefined` where the configuration has no routes. */
export async function servedProxy(
  config: Config,
  { env, compose }: Cli,
  { store, log }: Pick<ProxyFrom, 'log'> & { readonly store: SessionStore },
): Promise<ProxyRoutes | undefined> {
  const routes = routesOf(config, env);
  if (routes.length === 0) return undefined;
  const composition = await compose();
  return await proxyFrom({ routes, composition, log, ...(await configuredIn(config, composition, store)) });
}

/** What holds for all routes of a configuration, with what lasts where there is a store. */
export async function configuredIn(
  config: Config,
  composition: Composition,
  store: SessionStore | undefined,
): Promise<Pick<ProxyFrom, 'maxBodyBytes' | 'store' | 'quota' | 'sharesStore' | 'keep'>> {
  return {
    maxBodyBytes: config.server.maxBodyBytes,
    ...(store && { store: store.proxy }),
    quota: await callerQuotaOf(config, store?.usage, composition),
    sharesStore: config.store.type === 'postgres',
    keep: config.proxy,
  };
}

/** Whether callers have a limit of tokens. */
export function hasTokenLimits({ server: { tokens } }: Config): boolean {
  return Object.values(tokens).some(({ maxTokensPerDay }) => maxTokensPerDay !== undefined);
}

/** The limits of those who call, with all processes on the store; `undefined` where nobody has any. */
async function callerQuotaOf(
  config: Config,
  usage: OwnerUsage | undefined,
  { clock }: Pick<Composition, 'clock'>,
): Promise<CallerQuota | undefined> {
  if (!usage || !hasTokenLimits(config)) return undefined;
  const { tokens } = config.server;
  // The proxy alone needs nothing else of it.
  const { createTokenQuota } = await import('@throughline/agent');
  const quotaOf = (owner: string): Quota | undefined => {
    const { maxTokensPerDay } = (Object.hasOwn(tokens, owner) && tokens[owner]) || {};
    return maxTokensPerDay === undefined ? undefined : { maxTokensPerDay };
  };
  return createTokenQuota({ usage, clock, quotaOf });
}

/** The routes of a configuration, but for those that lead to the agent. */
function routesOf({ proxy }: Config, environment: Cli['env']): readonly ProxyRoute[] {
  return Object.entries(proxy.routes)
    .filter(([, { upstream }]) => upstream !== 'agent')
    .map(([name, route]) => routeFrom(name, route, environment));
}

/** What the server is told of routes: those that lead to upstreams, and the names of those that lead to the agent. */
export function routingOf(
  { proxy }: Config,
  routes: ProxyRoutes | undefined,
): Pick<ServerOptions, 'raw' | 'agentRoutes'> {
  const agentRoutes = Object.keys(proxy.routes).filter((name) => proxy.routes[name]?.upstream === 'agent');
  return { ...(routes && { raw: routes }), agentRoutes };
}

function routeFrom(name: string, route: RouteConfig, environment: Cli['env']): ProxyRoute {
  const { upstream, apiKeyEnv, context, onFailure, notices, includeUsage, recall } = route;
  const { compaction = compactionAt(upstream) } = route;
  return {
    name,
    upstream,
    policy: context ? policyFrom(context) : { strategy: createStrategy('reactive-overflow') },
    ...(context?.window !== undefined && { windowTokens: context.window }),
    ...(apiKeyEnv !== undefined && { apiKey: keyIn(apiKeyEnv, environment) }),
    onFailure,
    compaction,
    notices,
    includeUsage,
    recall,
  };
}

/** The one who invented items that stand for a history makes better ones than we; others do not know them. */
export function compactionAt(upstream: string): 'proxy' | 'upstream' {
  return URL.parse(upstream)?.hostname === 'api.openai.com' ? 'upstream' : 'proxy';
}

/** @throws {CommandFailure} where the variable holds nothing: every request would be refused. */
export function keyIn(variable: string, environment: Cli['env']): string {
  const key = environment[variable]?.trim() ?? '';
  if (key === '')
    throw usageFailure(`The variable ${variable}, which is to hold the key of an upstream, is not set.`);
  return key;
}

function policyFrom(context: ContextConfig): RoutePolicy {
  const { strategy, budget, auto, background } = engineOptionsOf(context);
  const { profile } = context.compaction.options;
  return {
    strategy,
    budget,
    auto,
    background,
    ...(profile !== undefined && isBuiltInProfile(profile) && { profile: findProfile(profile) }),
  };
}
