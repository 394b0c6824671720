import { Hono } from 'hono';
import type { ChatHandlers } from './chat-handlers.ts';
import type { ServerEnv } from '../server-env.ts';
import type { Services } from '../services.ts';

interface UiStreamOptions {
  /**
   * How long a run goes on when its last reader has gone away before the end: a page that is loaded anew comes back.
   * `Infinity`: to its end. @default 5 000
   */
  readonly stopAfterMs?: number;
}

/**
 * The UI message stream of the AI SDK, version 1: what `useChat` and `DefaultChatTransport` speak. What answers is loaded
 * for the first request: a server of which only the page is used does not wait for it.
 */
export function uiStreamRoutes(
  services: Services,
  { stopAfterMs = 5_000 }: UiStreamOptions = {},
): Hono<ServerEnv> {
  let handlers: Promise<ChatHandlers> | undefined;
  const loaded = (): Promise<ChatHandlers> =>
    (handlers ??= import('./chat-handlers.ts').then(({ chatHandlers }) =>
      chatHandlers(services, stopAfterMs),
    ));
  return new Hono<ServerEnv>()
    .post('/api/chat', async (c) => (await loaded()).send(c))
    .get('/api/chat/:id/stream', async (c) => (await loaded()).follow(c, c.req.param('id')))
    .post('/api/chat/:id/stop', async (c) => (await loaded()).stop(c, c.req.param('id')));
}
