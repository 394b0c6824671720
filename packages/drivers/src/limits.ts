import { countOf, isObject, listOf, objectOf, textOf } from './stream/wire-value.ts';
import type { WireObject } from './stream/wire-value.ts';

/** The server that is asked, and the model that it is asked for. */
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

/** What servers said of a model. Sizes are tokens; what is absent nobody said. */
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
    const response = await given(addressOf(probe, baseUrl, model), {
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

function addressOf({ path: given, isVersioned }: LimitProbe, baseUrl: string, model: string): string {
  const path = typeof given === 'string' ? given : given(model);
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

/** What an endpoint tells of a model; all of it may be missing. */
interface StatedLimits {
  readonly windowTokens?: number;
  readonly maxOutputTokens?: number;
  readonly maxInputTokens?: number;
  readonly hasTools?: boolean;
  readonly hasImages?: boolean;
}

/** One question to a server, and how its answer is read. */
interface LimitProbe {
  readonly source: string;
  readonly path: string | ((model: string) => string);
  /** Behind the version; else in its place. */
  readonly isVersioned?: true;
  readonly body?: (model: string) => WireObject;
  readonly read: (answer: WireObject, model: string) => StatedLimits;
}

/** Only numbers and booleans that are there. */
function told(limits: { readonly [Name in keyof StatedLimits]: unknown }): StatedLimits {
  return Object.fromEntries(
    Object.entries(limits).filter(([, value]) => value === true || value === false || countOf(value) > 0),
  );
}

/** The entry of this model: by its name, else the only one there is. */
function entryOf(list: unknown, model: string, names: readonly string[]): WireObject {
  const entries = listOf(list).filter(isObject);
  const isNamed = (entry: WireObject): boolean =>
    names.some((name) => textOf(entry[name]).toLowerCase() === model.toLowerCase());
  return entries.find(isNamed) ?? (entries.length === 1 ? objectOf(entries[0]) : {});
}

function includes(list: unknown, word: string): boolean | undefined {
  return Array.isArray(list) ? list.includes(word) : undefined;
}

/** What is loaded counts, not what could be. */
function readLmStudio({ data }: WireObject, model: string): StatedLimits {
  const entry = entryOf(data, model, ['id']);
  const isLoaded = entry['state'] === 'loaded';
  return told({
    windowTokens: (isLoaded && entry['loaded_context_length']) || entry['max_context_length'],
    hasTools: includes(entry['capabilities'], 'tool_use'),
    hasImages: entry['type'] === undefined ? undefined : entry['type'] === 'vlm',
  });
}

function readNewLmStudio({ models }: WireObject, model: string): StatedLimits {
  const isOurs = (entry: unknown): boolean =>
    textOf(objectOf(entry)['key']) === model || instanceOf(objectOf(entry), model) !== undefined;
  const entry = objectOf(listOf(models).find(isOurs));
  const instance = instanceOf(entry, model) ?? objectOf(listOf(entry['loaded_instances'])[0]);
  const abilities = objectOf(entry['capabilities']);
  return told({
    windowTokens: objectOf(instance['config'])['context_length'] ?? entry['max_context_length'],
    hasTools: abilities['trained_for_tool_use'],
    hasImages: abilities['vision'],
  });
}

function instanceOf(entry: WireObject, model: string): WireObject | undefined {
  return listOf(entry['loaded_instances'])
    .filter(isObject)
    .find(({ id }) => id === model);
}

/** One that serves several models tells of the one that is named; it is not loaded for that. Others do not look at it. */
function propsPath(model: string): string {
  return `/props?model=${encodeURIComponent(model)}&autoload=false`;
}

/** What llama.cpp says of one slot. */
function readProps(props: WireObject): StatedLimits {
  return told({
    windowTokens: objectOf(props['default_generation_settings'])['n_ctx'],
    hasImages: objectOf(props['modalities'])['vision'],
  });
}

function readOllamaLoaded({ models }: WireObject, model: string): StatedLimits {
  const entries = listOf(models).filter(isObject);
  const entry = entries.find(({ name, model: id }) =>
    [name, id].some((given) => isSameTag(textOf(given), model)),
  );
  return told({ windowTokens: entry?.['context_length'] });
}

/** Ollama adds the tag itself. */
function isSameTag(given: string, model: string): boolean {
  return given === model || given === `${model}:latest`;
}

/** What the model was trained for is not what it gets; only a number set for it counts. */
function readOllamaModel({ parameters, capabilities }: WireObject): StatedLimits {
  const set = /^num_ctx\s+(\d{1,9})/m.exec(textOf(parameters))?.[1];
  return told({
    windowTokens: set === undefined ? undefined : Number(set),
    hasTools: includes(capabilities, 'tools'),
    hasImages: includes(capabilities, 'vision'),
  });
}

/** vLLM, SGLang, llama.cpp, OpenRouter, Together, Groq, Mistral, Anthropic: each under a name of its own. */
function readModels(answer: WireObject, model: string): StatedLimits {
  const list = answer['data'] ?? answer['models'];
  const named = entryOf(list, model, ['id', 'name']);
  // What is added to a model has the window of that.
  const parent = textOf(named['parent']);
  const entry = parent === '' ? named : { ...entryOf(list, parent, ['id']), ...withoutNulls(named) };
  const top = objectOf(entry['top_provider']);
  const stated = [
    entry['max_model_len'],
    objectOf(entry['meta'])['n_ctx'],
    entry['context_length'],
    entry['context_window'],
    entry['max_context_length'],
  ].map(countOf);
  const windows = [stated.find((tokens) => tokens > 0) ?? 0, countOf(top['context_length'])];
  return told({
    windowTokens: Math.min(...windows.filter((tokens) => tokens > 0)),
    maxOutputTokens: top['max_completion_tokens'] ?? entry['max_completion_tokens'] ?? entry['max_tokens'],
    maxInputTokens: entry['max_input_tokens'],
    hasTools: includes(entry['supported_parameters'], 'tools'),
    hasImages: includes(objectOf(entry['architecture'])['input_modalities'], 'image'),
  });
}

function withoutNulls(entry: WireObject): WireObject {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}

function readTgi(info: WireObject): StatedLimits {
  return told({
    windowTokens: info['max_total_tokens'],
    maxInputTokens: info['max_input_tokens'] ?? info['max_input_length'],
  });
}

/** In the order in which they are believed: what is loaded before what could be. */
const limitProbes: readonly LimitProbe[] = [
  { source: 'LM Studio', path: '/api/v0/models', read: readLmStudio },
  { source: 'LM Studio', path: '/api/v1/models', read: readNewLmStudio },
  { source: 'llama.cpp', path: propsPath, read: readProps },
  { source: 'Ollama', path: '/api/ps', read: readOllamaLoaded },
  { source: 'Ollama', path: '/api/show', body: (model) => ({ model }), read: readOllamaModel },
  { source: 'models list', path: '/models', isVersioned: true, read: readModels },
  { source: 'TGI', path: '/info', read: readTgi },
];
