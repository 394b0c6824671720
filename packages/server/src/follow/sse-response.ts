const encoder = new TextEncoder();
/** A comment: readers ignore it, and nothing between here and them takes the connection for dead. */
const heartbeat = encoder.encode(': ping\n\n');

interface SseOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** @default 10 000 */
  readonly heartbeatMs?: number;
  /** Called once, where the reader goes away before the end. */
  readonly onCut: () => void;
}

/** An answer of server-sent events. A slow reader is waited for. */
export function sseResponse(frames: AsyncIterable<string>, options: SseOptions): Response {
  const { headers = {}, heartbeatMs = 10_000, onCut } = options;
  const iterator = frames[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat);
      }, heartbeatMs);
      timer.unref();
    },
    async pull(controller) {
      const next = await iterator.next();
      if (next.done !== true) return controller.enqueue(encoder.encode(next.value));
      clearInterval(timer);
      controller.close();
    },
    cancel() {
      clearInterval(timer);
      onCut();
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // Proxies that would collect the answer before they hand it on.
      'x-accel-buffering': 'no',
      ...headers,
    },
  });
}

/** One event of data, without a name. */
export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
