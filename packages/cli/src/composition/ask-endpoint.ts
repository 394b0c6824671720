import { objectOf, parseJson } from '@throughline/core/internal';
import { secretsOf } from '@throughline/drivers';
import type { EndpointModel } from '@throughline/config';
import type { EndpointAnswer } from './composition.ts';

const maxBytes = 16 * 1024 * 1024;
const maxWordsChars = 300;

/**
 * Asks a server for its list of models: the one question that costs nothing, loads nothing, and needs the key. Never
 * throws; follows no redirect, and the key goes nowhere else.
 */
export async function askEndpoint(model: EndpointModel, signal?: AbortSignal): Promise<EndpointAnswer> {
  try {
    const response = await fetch(listAddress(model), {
      headers: headersOf(model),
      redirect: 'error',
      ...(signal && { signal }),
    });
    const text = await readText(response);
    const { status } = response;
    if (response.ok) return { type: 'answered', status, models: modelsIn(text) };
    const message = wordsOf(text, model);
    return status === 401 || status === 403
      ? { type: 'refused', status, message }
      : { type: 'answered', status, models: [] };
  } catch (error) {
    return { type: 'unreachable', reason: reasonOf(error) };
  }
}

function listAddress({ protocol, baseUrl }: EndpointModel): string {
  const isVersioned = protocol !== 'anthropic' || /\/v\d+$/.test(baseUrl);
  return `${baseUrl}${isVersioned ? '' : '/v1'}/models`;
}

function headersOf({ protocol, apiKey, headers }: EndpointModel): Headers {
  const sent = new Headers(protocol === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {});
  if (apiKey !== undefined && protocol === 'anthropic') sent.set('x-api-key', apiKey);
  if (apiKey !== undefined && protocol !== 'anthropic') sent.set('authorization', `Bearer ${apiKey}`);
  // Names know no case: what the configuration says takes the place of ours.
  for (const [name, value] of Object.entries(headers)) sent.set(name, value);
  return sent;
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    const piece = chunk as Uint8Array;
    bytes += piece.byteLength;
    if (bytes > maxBytes) break;
    text += decoder.decode(piece, { stream: true });
  }
  return text;
}

function modelsIn(text: string): readonly string[] {
  const answer = objectOf(parseJson(text));
  const list = answer['data'] ?? answer['models'];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const { id, name } = objectOf(entry);
    return [id, name].filter((one) => typeof one === 'string').slice(0, 1);
  });
}

/** What the server says of its refusal, in one line and without key and headers. */
function wordsOf(text: string, { apiKey, headers }: EndpointModel): string {
  const { error, message = error } = objectOf(parseJson(text));
  const inner = objectOf(error)['message'];
  const words = [inner, message, text].find((one): one is string => typeof one === 'string') ?? '';
  const secrets = secretsOf({ apiKey, headers });
  const plain = secrets.reduce((rest, secret) => rest.split(secret).join('(key)'), words);
  return plain.replace(/\s+/g, ' ').trim().slice(0, maxWordsChars).toWellFormed();
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no network',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
};

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const { code, message } = objectOf(cause);
  if (message === 'unexpected redirect') return 'it redirects elsewhere, and no redirect is followed';
  return reasons[String(code)] ?? (typeof message === 'string' ? message : String(cause));
}
