import { ContextError } from '@throughline/core';
import { encodeMessage, encodePage, encodeSession } from './encode.ts';
import { sessionOf } from './handler.ts';
import type { Handlers } from './handler.ts';
import type { SessionBlob } from '@throughline/agent';

type HistoryHandlers = Pick<
  Handlers,
  'listMessages' | 'searchSession' | 'searchSessions' | 'recall' | 'getBlob' | 'getTrace' | 'getStepRequest'
>;

export const historyHandlers: HistoryHandlers = {
  async listMessages({ params: { id }, query }, around) {
    const session = await sessionOf(around, id);
    const page = await session.history(query);
    return { status: 200, body: encodePage(page, (message) => encodeMessage(message, id)) };
  },

  async searchSession({ params: { id }, query: { query, limit } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: { items: await session.search(query, limit) } };
  },

  async recall({ params: { id, recallId } }, around) {
    const session = await sessionOf(around, id);
    const text = await session.recall(recallId);
    if (text) return { status: 200, body: text };
    throw new ContextError('not-found', `Nothing of this session has the recall id ${recallId}.`, {
      kind: 'recall id',
      id: recallId,
      known: [],
    });
  },

  async searchSessions({ query }, { services: { agent }, caller }) {
    const page = await agent.store.sessions.search({ ...query, owner: caller.owner });
    return {
      status: 200,
      body: encodePage(page, ({ session, hits }) => ({ session: encodeSession(session), hits })),
    };
  },

  async getBlob({ params: { id, hash } }, around) {
    const session = await sessionOf(around, id);
    const blob = await session.blob(hash);
    if (blob) return serveBlob(blob);
    throw new ContextError('not-found', `No message of this session has the bytes ${hash}.`, {
      kind: 'blob',
      id: hash,
      known: [],
    });
  },

  async getTrace({ params: { id }, query }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: await session.trace(query) };
  },

  async getStepRequest({ params: { id, seq } }, around) {
    const session = await sessionOf(around, id);
    return { status: 200, body: await session.stepRequest(seq) };
  },
};

/** What browsers show and never run. SVG is no image in this sense: it holds scripts. */
const shownTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * Bytes that somebody sent, or a tool has found, so that nothing in them can run on this origin: what is no plain image
 * is told as bytes to be saved, and whoever opens it all the same gets it without scripts, forms or an origin.
 */
function serveBlob({ bytes, mediaType }: SessionBlob): Response {
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  const isShown = shownTypes.has(type);
  return new Response(Uint8Array.from(bytes), {
    headers: {
      'content-type': isShown ? type : 'application/octet-stream',
      'content-disposition': isShown ? 'inline' : 'attachment',
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      // The hash names these bytes and no others.
      'cache-control': 'private, max-age=31536000, immutable',
    },
  });
}
