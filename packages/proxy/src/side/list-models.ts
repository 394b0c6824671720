import { endpointHeaders, requestHeaders } from '../forward/headers.ts';
import { isObject } from '@throughline/core/codec';
import { parseJson, splitJsonArray, textOf } from '@throughline/core/internal';
import { readWhole } from '../answer/whole-answer.ts';
import { splice, withMembers } from '../wire/edit-members.ts';
import { routeAddress, upstreamUrl } from '../forward/upstream.ts';
import type { ModelLimits } from '@throughline/core/types';
import type { ProxyParts, RouteCall } from '../answer/attempt.ts';
import type { WireObject } from '@throughline/core/internal';

/** Where lists tell a window, each server under a name of its own. */
const windowFields = [
  'context_length',
  'max_model_len',
  'context_window',
  'max_context_length',
  'max_input_tokens',
] as const;

/** Behind a longer list is a catalogue; asking for the limits of each of its models would be a burden. */
const mostAsked = 4;

/** Hands on a list of models, or one of them, with the windows that are kept here, in the form that the client reads. */
export async function answerModels(call: RouteCall, parts: ProxyParts): Promise<void> {
  const { request, response, route, path, search, signal } = call;
  const answer = await parts.upstreams.send({
    url: upstreamUrl(route.upstream, path, search),
    method: 'GET',
    headers: { ...requestHeaders(request.headers, route, false), 'accept-encoding': 'identity' },
    signal,
  });
  const { bytes, text: said } = await readWhole(answer, parts.options.maxBodyBytes);
  const isPlain = answer.status === 200 && answer.headers['content-encoding'] === undefined;
  const text = isPlain ? await rewritten(said, call, parts) : undefined;
  if (text === undefined) {
    response.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.byteLength });
    response.end(bytes);
    return;
  }
  const { etag: _, 'content-md5': __, ...headers } = answer.headers;
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** `undefined` where it is none of the forms that are known. */
async function rewritten(text: string, call: RouteCall, parts: ProxyParts): Promise<string | undefined> {
  const body = parseJson(text);
  if (!isObject(body)) return undefined;
  const isAnthropic = call.request.headers['anthropic-version'] !== undefined;
  if (typeof body['id'] === 'string') {
    const limits = await limitsIn([body], call, parts);
    return isAnthropic && body['type'] !== 'model'
      ? JSON.stringify(anthropicModel(body, limits.get(body['id'])))
      : withWindow(text, body, limits.get(body['id']));
  }
  const { data } = body;
  if (!Array.isArray(data) || !data.every(isModel)) return undefined;
  const limits = await limitsIn(data, call, parts);
  if (isAnthropic && !data.some(({ type }) => type === 'model')) return anthropicList(data, limits);
  const spans = splitJsonArray(text, ['data'])?.items ?? [];
  const fields = windowFields.filter((field) => data.some((entry) => isCount(entry[field])));
  const published = splice(
    text,
    spans.map(({ start, end }, at) => {
      const entry = data[at] as WireObject;
      const slice = text.slice(start, end);
      return { start, end, text: withWindow(slice, entry, limits.get(textOf(entry['id'])), fields) };
    }),
  );
  return isForCatalogue(call) && body['models'] === undefined
    ? withMembers(published, { models: [] })
    : published;
}

/**
 * A client that says its version wants a catalogue under another name. Its entries hold the instructions of each model,
 * which nobody here knows, and one that lacks them spoils all: an empty one leaves the client with its own.
 */
function isForCatalogue({ search }: RouteCall): boolean {
  return new URLSearchParams(search).has('client_version');
}

function isModel(entry: unknown): entry is WireObject {
  return isObject(entry) && typeof entry['id'] === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0;
}

async function limitsIn(
  entries: readonly WireObject[],
  { request, route }: RouteCall,
  { windows }: ProxyParts,
): Promise<ReadonlyMap<string, ModelLimits>> {
  const base = {
    dialect: request.headers['anthropic-version'] === undefined ? ('chat' as const) : ('messages' as const),
    baseUrl: routeAddress(route),
    headers: endpointHeaders(requestHeaders(request.headers, route, false)),
  };
  const known = entries.map(async (entry) => {
    const model = textOf(entry['id']);
    const endpoint = { ...base, model };
    const limits =
      entries.length > mostAsked ? windows.known(route, endpoint) : windows.limitsOf(route, endpoint);
    return [model, await limits] as const;
  });
  return new Map(await Promise.all(known));
}

/** A window that is only assumed is not published, and one out of a catalogue not against the server's own word. */
function withWindow(
  text: string,
  entry: WireObject,
  limits: ModelLimits | undefined,
  ofList: readonly string[] = [],
): string {
  if (!limits || limits.window.source === 'default') return text;
  const { tokens, source } = limits.window;
  const own = windowFields.filter((field) => isCount(entry[field]));
  if (own.length > 0 && (source === 'catalogue' || own.every((field) => entry[field] === tokens)))
    return text;
  const fields = own.length > 0 ? own : fieldsFor(entry, ofList);
  return withMembers(text, Object.fromEntries(fields.map((field) => [field, tokens])));
}

/** Where a list tells nothing, both names that its clients look for. */
function fieldsFor({ type }: WireObject, ofList: readonly string[]): readonly string[] {
  if (ofList.length > 0) return ofList;
  return type === 'model' ? ['max_input_tokens'] : ['context_length', 'max_model_len'];
}

function anthropicList(data: readonly WireObject[], limits: ReadonlyMap<string, ModelLimits>): string {
  const models = data.map((entry) => anthropicModel(entry, limits.get(textOf(entry['id']))));
  const ids = data.map(({ id }) => id);
  return JSON.stringify({
    data: models,
    has_more: false,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  });
}

function anthropicModel(entry: WireObject, limits: ModelLimits | undefined): WireObject {
  const { id, created, name } = entry;
  const stated = windowFields.map((field) => entry[field]).find(isCount);
  const window = limits && limits.window.source !== 'default' ? limits.window.tokens : stated;
  return {
    type: 'model',
    id,
    display_name: typeof name === 'string' ? name : id,
    created_at: new Date((isCount(created) ? created : 0) * 1_000).toISOString(),
    ...(window !== undefined && { max_input_tokens: window }),
  };
}
