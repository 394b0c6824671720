import { Hono } from 'hono';
import type { ServerEnv } from '../server-env.ts';

/** `GET /health`: the process is there. What it works with is the affair of `/ready`. */
export function healthRoutes(): Hono<ServerEnv> {
  return new Hono<ServerEnv>().get('/health', (context) => context.json({ ok: true, name: 'throughline' }));
}
