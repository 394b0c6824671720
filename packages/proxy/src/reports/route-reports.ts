import { policyOf } from '../manage/route-policy.ts';
import { routeAddress } from '../forward/upstream.ts';
import { dialects } from '../wire/dialect.ts';
import type { Policy } from '@throughline/core';
import type { LimitSource } from '@throughline/core/internal';
import type { DialectName } from '../stream/dialect-streams.ts';
import type { ProxyRoute } from '../options/proxy-options.ts';
import type { RouteTraffic, Traffic } from '../state/traffic.ts';
import type { Windows } from '../limits/windows.ts';

/** A route, for people: what is configured, and what was seen of it since this process began. No key is among it. */
export interface RouteReport {
  readonly name: string;
  /** Without a password. */
  readonly upstream: string;
  readonly strategy: string;
  /** `null` where nobody has set it. */
  readonly windowTokens: number | null;
  readonly onFailure: 'open' | 'closed';
  readonly compaction: 'proxy' | 'upstream';
  /** Models that were asked for. */
  readonly models: readonly ModelReport[];
  readonly traffic: RouteTraffic & { readonly sinceMs: number };
}

/** The window in which conversations with a model are kept, and who says so. */
interface ModelReport {
  readonly model: string;
  readonly windowTokens: number;
  readonly source: LimitSource;
  /** Of a prompt, where the upstream takes less than the window; `null` where it does not. */
  readonly maxInputTokens: number | null;
}

interface Seen {
  readonly windows: Windows;
  readonly traffic: Traffic;
}

export function reportOf(route: ProxyRoute, { windows, traffic }: Seen, sinceMs: number): RouteReport {
  const baseUrl = routeAddress(route);
  return {
    name: route.name,
    upstream: withoutSecrets(route.upstream),
    strategy: route.policy.strategy.name,
    windowTokens: route.windowTokens ?? null,
    onFailure: route.onFailure ?? 'open',
    compaction: route.compaction ?? 'proxy',
    models: windows.modelsAt(baseUrl).map((model) => {
      const { window, maxInput } = windows.known(route, { baseUrl, model });
      return {
        model,
        windowTokens: window.tokens,
        source: window.source,
        maxInputTokens: maxInput?.tokens ?? null,
      };
    }),
    traffic: { ...traffic.of(route.name), sinceMs },
  };
}

/** A name and a password may stand in an address, and some servers take a key in its query. */
function withoutSecrets(upstream: string): string {
  const url = URL.parse(upstream);
  return url ? `${url.origin}${url.pathname}`.replace(/\/$/, '') : '';
}

/** A conversation of which only these are known. */
export interface Spoken {
  readonly route: string;
  readonly model: string;
  readonly dialect: DialectName;
}

/** The policy under which a request of it would be made now, with what is known of the window; nobody is asked. */
export function policyFor(
  route: ProxyRoute,
  { model, dialect }: Spoken,
  { windows }: Pick<Seen, 'windows'>,
): Policy {
  const limits = windows.known(route, { baseUrl: routeAddress(route), model });
  return policyOf(route, limits, { hasModel: false, request: { dialect: dialects[dialect], body: {} } });
}
