import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';

const kept = new Agent({ keepAlive: true, maxSockets: Infinity });

interface Asked {
  readonly firstByteMs: number;
  readonly text: string;
}

interface Ask {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a body; resolves with the whole answer, and how long its first byte took. */
export async function ask(url: string, asked: Ask): Promise<Asked> {
  const beforeMs = performance.now();
  const response = await send(url, asked);
  let firstByteMs = 0;
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) {
    firstByteMs ||= performance.now() - beforeMs;
    text += piece as string;
  }
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text.slice(0, 200)}`);
  return { firstByteMs, text };
}

function send(url: string, asked: Ask): Promise<IncomingMessage> {
  const { body, headers = {}, signal } = asked;
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      `${url}/v1/chat/completions`,
      {
        method: 'POST',
        agent: kept,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
        ...(signal && { signal }),
      },
      resolve,
    );
    // A connection that was kept can be closed by its server just now: then another one is taken.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === 'ECONNRESET') send(url, asked).then(resolve, reject);
      else reject(error);
    });
    sent.end(body);
  });
}

/** Requests a second, with so many under way at a time. */
export async function throughput(
  url: string,
  next: () => string,
  { atATime, ms }: { readonly atATime: number; readonly ms: number },
): Promise<number> {
  const beginMs = performance.now();
  let done = 0;
  const work = async (): Promise<void> => {
    while (performance.now() - beginMs < ms) {
      await ask(url, { body: next() });
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return (done / (performance.now() - beginMs)) * 1_000;
}
