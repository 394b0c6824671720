import { Agent, request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';

/** Keeps connections open between requests, as programs do. */
const kept = new Agent({ keepAlive: true, maxSockets: Infinity });

interface Ask {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly accept?: string;
  /** @default connections that are kept */
  readonly agent?: Agent | false;
}

interface Asked {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

/** Sends a request; resolves with the head of the answer. Node's own client: `fetch` costs more than what is measured. */
export function ask(url: string, { method = 'GET', path, body, accept, agent = kept }: Ask): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(accept === undefined ? {} : { accept }),
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    const sent = request(`${url}${path}`, { method, headers, agent }, (response) =>
      resolve({ request: sent, response }),
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The server closes a kept connection that was idle for long, also in the moment in which it is used again.
      if (sent.reusedSocket && error.code === 'ECONNRESET')
        resolve(ask(url, { method, path, body, agent: false, ...(accept === undefined ? {} : { accept }) }));
      else reject(error);
    });
    sent.end(text);
  });
}

/** The whole body. @throws where the answer is no success */
export async function bodyOf({ response }: Asked): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) text += chunk as string;
  if ((response.statusCode ?? 0) >= 300) throw new Error(`${response.statusCode}: ${text}`);
  return text;
}

/** A reader of events that is told each block of lines as it comes. */
export async function readEvents(
  url: string,
  path: string,
  onText: (text: string) => void,
): Promise<{ close(): void }> {
  const asked = await ask(url, { path, accept: 'text/event-stream', agent: false });
  if (asked.response.statusCode !== 200) throw new Error(await bodyOf(asked));
  asked.response.setEncoding('utf8');
  asked.response.on('data', onText);
  asked.response.on('error', () => {});
  return { close: () => void asked.request.destroy() };
}
