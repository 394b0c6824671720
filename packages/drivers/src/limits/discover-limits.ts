import { isObject } from '../stream/wire-value.ts';
import type { WireObject } from '../stream/wire-value.ts';
import { limitProbes } from './limit-probes.ts';
import type { LimitProbe, StatedLimits } from './limit-probes.ts';

export interface LimitsEndpoint {
  /** As the driver has it, up to and including the version. */
  readonly baseUrl: string;
  readonly model: string;
  /** Sent to `baseUrl`'s host only. */
  readonly apiKey?: string;
  /** Sent like the key. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface DiscoveredLimits extends StatedLimits {
  /** Whose answer the window (or, without one, anything) is from. */
  readonly source: string;
}

const maxBytes = 16 * 1024 * 1024;
const mostWaitMs = 5_000;

/**
 * What a server itself says of a model: its window as it is loaded, its other limits, whether it takes tools and images.
 * Asks LM Studio, llama.cpp, Ollama, vLLM, SGLang, TGI, OpenRouter and those whose list of models tells it, all at
 * once; who does not answer within 5 seconds is not heard. `undefined` when nobody says anything. Never throws.
 */
export async function discoverLimits(
  endpoint: LimitsEndpoint,
  given: typeof fetch = fetch,
): Promise<DiscoveredLimits | undefined> {
  const timeLimit = AbortSignal.timeout(mostWaitMs);
  const signal = endpoint.signal ? AbortSignal.any([endpoint.signal, timeLimit]) : timeLimit;
  const answers = await Promise.all(
    limitProbes.map(async (probe) => {
      const answer = await ask(probe, { ...endpoint, signal }, given);
      return { ...(answer && probe.read(answer, endpoint.model)), source: probe.source };
    }),
  );
  const heard = answers.filter((answer) => Object.keys(answer).length > 1);
  const best = heard.find(({ windowTokens }) => windowTokens !== undefined) ?? heard[0];
  if (!best) return undefined;
  // What the best does not tell, another may.
  const all = heard.reduceRight<StatedLimits>((known, answer) => ({ ...known, ...answer }), {});
  return { ...all, ...best };
}

async function ask(
  probe: LimitProbe,
  { baseUrl, model, apiKey, headers, signal }: LimitsEndpoint,
  given: typeof fetch,
): Promise<WireObject | undefined> {
  const body = probe.body?.(model);
  try {
    const response = await given(addressOf(probe, baseUrl), {
      method: body ? 'POST' : 'GET',
      redirect: 'error',
      headers: withHeaders(headers, {
        ...(body && { 'content-type': 'application/json' }),
        ...(apiKey && { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey }),
        'anthropic-version': '2023-06-01',
      }),
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    const answer: unknown = JSON.parse(await readText(response));
    return isObject(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

function addressOf({ path, isVersioned }: LimitProbe, baseUrl: string): string {
  const base = baseUrl.endsWith('/') ? baseUrl.slice(0, -1) : baseUrl;
  const version = /\/(?:api\/)?v\d+$/.exec(base)?.[0] ?? '';
  if (isVersioned) return `${base}${version === '' ? '/v1' : ''}${path}`;
  return `${base.slice(0, base.length - version.length)}${path}`;
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    const piece = chunk as Uint8Array;
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw new RangeError('the answer is too long');
    pieces.push(decoder.decode(piece, { stream: true }));
  }
  return pieces.join('');
}

/** Names of headers know no case: the given ones take the place of ours. */
function withHeaders(given: Readonly<Record<string, string>> = {}, own: Record<string, string>): Headers {
  const headers = new Headers(own);
  for (const [name, value] of Object.entries(given)) headers.set(name, value);
  return headers;
}
