import type { Context } from 'hono';
import type { ServerResponse } from 'node:http';

export const eventHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Proxies that would collect the answer before they hand it on.
  'x-accel-buffering': 'no',
};

/** What tells the server of hono that somebody else writes the answer. */
const sentMarker = 'x-hono-already-sent';

/**
 * Answers with a stream of events.
 *
 * On Node they are written to the response itself, past the web streams that every byte would go through otherwise. Its
 * head is written when all guards are done, with what they have set.
 *
 * @param begin called with where the events go
 */
export function sendEvents(c: Context, begin: (sink: ByteSink) => void): Response {
  if (c.req.method === 'HEAD') return c.body(null, 200, eventHeaders);
  const { outgoing } = (c.env ?? {}) as { readonly outgoing?: ServerResponse };
  if (!outgoing) {
    const { sink, body } = webSink();
    begin(sink);
    return c.body(body, 200, eventHeaders);
  }
  setImmediate(() => {
    const headers = new Headers(c.res.headers);
    // A guard may have refused after all, and the reader may be gone.
    if (!headers.has(sentMarker) || outgoing.headersSent || outgoing.closed) return;
    headers.delete(sentMarker);
    outgoing.writeHead(200, Object.fromEntries(headers));
    begin(nodeSink(outgoing));
  });
  // Not the one that hono has ready for this, which all would share: guards set headers on it.
  return c.body(null, 200, { ...eventHeaders, [sentMarker]: 'true' });
}

/** Where a stream of bytes goes: a reader that may be slow, or gone. */
export interface ByteSink {
  /** `false`: enough is on its way; wait until it is drained. */
  write(bytes: Uint8Array): boolean;
  /** No more comes; what was written still goes out. */
  end(): void;
  /** Gives up what was written, too. */
  destroy(): void;
  /** Called once, before anything is written. */
  listen(handlers: SinkHandlers): void;
}

export interface SinkHandlers {
  readonly onDrain: () => void;
  /** The reader is gone, or has all of it. */
  readonly onClose: () => void;
}

/** The response of Node, written to directly: its buffer is the only one, and it says when it is full. */
function nodeSink(outgoing: ServerResponse): ByteSink {
  return {
    write: (bytes) => outgoing.write(bytes),
    end: () => void outgoing.end(),
    destroy: () => void outgoing.destroy(),
    listen({ onDrain, onClose }) {
      outgoing.on('drain', onDrain);
      outgoing.on('close', onClose);
      // A reader that resets the connection is gone, and no fault of ours.
      outgoing.on('error', () => {});
      if (outgoing.closed) onClose();
    },
  };
}

/** Bytes that wait in a web stream before its reader counts as slow. */
const webBufferBytes = 65_536;

/** The body of a web response, for servers other than Node's. */
function webSink(): { readonly sink: ByteSink; readonly body: ReadableStream<Uint8Array> } {
  let handlers: SinkHandlers | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull: () => handlers?.onDrain(),
      cancel: () => handlers?.onClose(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: webBufferBytes }),
  );
  const sink: ByteSink = {
    write(bytes) {
      controller?.enqueue(bytes);
      return (controller?.desiredSize ?? 0) > 0;
    },
    end() {
      controller?.close();
      handlers?.onClose();
    },
    destroy() {
      controller?.error(new Error('The stream was given up.'));
      handlers?.onClose();
    },
    listen(given) {
      handlers = given;
    },
  };
  return { sink, body };
}
