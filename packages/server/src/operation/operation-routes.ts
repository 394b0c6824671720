import { callerCheck } from '../security/access-tokens.ts';
import { Hono } from 'hono';
import { RequestRefused } from '../problem-of.ts';
import { ContextError } from '@throughline/core';
import { systemTimer } from '@throughline/ports';
import type { ServerEnv } from '../server-env.ts';
import type { ServerMetrics } from './server-metrics.ts';
import type { ServerSetup } from '../server-options.ts';
import type { Services } from '../services.ts';

/**
 * `GET /health`: the process is there. `GET /ready`: it can work; while the server stops, the guard before it says so.
 * `GET /metrics`: numbers of all owners together, for the one without a name and for those that are named for it.
 */
export function operationRoutes(
  services: Pick<Services, 'agent'>,
  setup: Pick<ServerSetup, 'tokens' | 'version' | 'readyTimeoutMs' | 'metricsOwners'>,
  metrics: ServerMetrics | undefined,
): Hono<ServerEnv> {
  const callerOf = callerCheck(setup.tokens);
  const readers = new Set(['', ...setup.metricsOwners]);
  const routes = new Hono<ServerEnv>();
  routes.get('/health', ({ req, json }) => {
    const caller = callerOf({ authorization: req.header('authorization'), apiKey: req.header('x-api-key') });
    // Which version it is helps those who look for a weak one.
    return json({
      ok: true,
      name: 'throughline',
      ...(caller && setup.version !== '' && { version: setup.version }),
    });
  });
  routes.get('/ready', async ({ json }) => {
    await answersInTime(() => services.agent.store.sessions.list({ limit: 1 }), setup.readyTimeoutMs);
    return json({ ready: true });
  });
  if (metrics)
    routes.get('/metrics', async ({ body, var: { caller } }) => {
      if (!readers.has(caller.owner))
        throw new RequestRefused(
          'forbidden',
          'Metrics are those of all owners. `server.metricsOwners` of the configuration names who may read them.',
        );
      return body(await metrics.text(), 200, { 'content-type': metrics.contentType });
    });
  return routes;
}

/**
 * Asks the session store anything; `ask` rejects as the store does.
 *
 * @throws {ContextError} `store-failed` where it does not answer in time
 */
export async function answersInTime(ask: () => Promise<unknown>, timeoutMs: number): Promise<void> {
  const answered = new AbortController();
  const late = systemTimer.wait(timeoutMs, answered.signal).then((how) => {
    if (how === 'elapsed')
      throw new ContextError('store-failed', 'The session store does not answer in time.', {
        store: 'sessions',
        reason: 'other',
      });
  });
  try {
    await Promise.race([ask(), late]);
  } finally {
    answered.abort();
  }
}
