import { ProviderFault } from './provider-fault.ts';
import { isObject } from './wire-value.ts';

type Fetch = typeof fetch;

const maxErrorBytes = 64 * 1024;

/**
 * A `fetch` for the SDKs that stream. The history goes to the address that was named, and to no other: redirects are
 * refused. Of an error no more is read than anybody needs. A JSON body where a stream was asked for is what it says: an
 * error with status 200, or a server that does not stream.
 */
export function guardFetch(given: Fetch): Fetch {
  return async (input, init) => {
    const response = await given(input, { ...init, redirect: 'error' });
    if (!response.ok) return new Response((await readStart(response)) || null, withStatus(response));
    if (!/^application\/(?:[\w.+-]+\+)?json/i.test(response.headers.get('content-type') ?? ''))
      return response;
    const text = await readStart(response);
    const body = parse(text);
    if (isObject(body) && (body['error'] || body['type'] === 'error')) {
      throw new ProviderFault('the server answered with an error', body);
    }
    throw new ProviderFault(`the server answered without a stream: ${text.slice(0, 500)}`);
  };
}

function withStatus({ status, statusText, headers }: Response): ResponseInit {
  const kept = new Headers(headers);
  // The body is no longer what these say.
  kept.delete('content-length');
  kept.delete('content-encoding');
  return { status, statusText, headers: kept };
}

async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (!response.body) return text;
  for await (const chunk of response.body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length >= maxErrorBytes) break;
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
