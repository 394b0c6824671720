import { Hono } from 'hono';
import { serveStatic } from '@hono/node-server/serve-static';
import type { ServerEnv } from '../server-env.ts';

/** Everything comes from this server, without exceptions: what a model writes can neither run nor fetch. */
export const pageAppPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const policyHeaders = { 'content-security-policy': pageAppPolicy, 'x-frame-options': 'DENY' };

/** The files of the page. Their names hold a hash of what is in them, but for the first. */
export function pageRoutes(folder: string): Hono<ServerEnv> {
  const routes = new Hono<ServerEnv>();
  routes.get('/', async (context, next) => {
    for (const [name, value] of Object.entries(policyHeaders)) context.header(name, value);
    context.header('cache-control', 'no-cache');
    return await serveStatic<ServerEnv>({ root: folder, path: 'index.html' })(context, next);
  });
  routes.get(
    '/assets/*',
    serveStatic<ServerEnv>({
      root: folder,
      onFound: (_, context) => context.header('cache-control', 'public, max-age=31536000, immutable'),
    }),
  );
  routes.get('/icon.svg', serveStatic<ServerEnv>({ root: folder, path: 'icon.svg' }));
  return routes;
}
