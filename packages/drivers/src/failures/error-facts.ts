/** What an error says, wherever it says it. */
export interface ErrorFacts {
  /** HTTP status, also one that stands in a body. */
  readonly status?: number;
  /** Names: of the class, of the `type`, of the `code` … Lower case. */
  readonly names: ReadonlySet<string>;
  /** What was said, the innermost last. Never empty texts. */
  readonly texts: readonly string[];
  /** Counts that stand in fields of their own. */
  readonly promptTokens?: number;
  readonly limitTokens?: number;
  readonly headers: ReadonlyMap<string, string>;
}

interface Found {
  status?: number;
  promptTokens?: number;
  limitTokens?: number;
  readonly names: Set<string>;
  readonly texts: string[];
  readonly headers: Map<string, string>;
  /** Objects that may still be looked at: an error can be a circle, or a bomb. */
  left: number;
}

type Fields = Readonly<Record<string, unknown>>;
type FieldReader = (value: unknown, found: Found) => void;

const maxObjects = 60;
const maxTexts = 40;
const maxTextChars = 20_000;
const headChars = 16_000;

const nameIt: FieldReader = (value, found) => {
  if (typeof value === 'string' && value.length > 0 && value.length <= 200)
    found.names.add(value.toLowerCase());
};
const tellStatus: FieldReader = (value, found) => {
  const status = typeof value === 'string' ? Number(value) : value;
  if (typeof status === 'number' && status >= 400 && status < 600) found.status ??= status;
};
const countAs =
  (name: 'promptTokens' | 'limitTokens'): FieldReader =>
  (value, found) => {
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) found[name] ??= value;
  };
const nameOrStatus: FieldReader = (value, found) => {
  nameIt(value, found);
  tellStatus(value, found);
};

/** Fields of error objects that say something; whatever else they hold (the request, say) is left alone. */
const readers: ReadonlyMap<string, FieldReader> = new Map<string, FieldReader>([
  ['name', nameIt],
  ['type', nameIt],
  ['error_type', nameIt],
  ['param', nameIt],
  ['reason', nameIt],
  ['code', nameOrStatus],
  ['status', nameOrStatus],
  ['statusCode', tellStatus],
  ['status_code', tellStatus],
  ['n_prompt_tokens', countAs('promptTokens')],
  ['n_ctx', countAs('limitTokens')],
  ['headers', readHeaders],
  ['responseHeaders', readHeaders],
]);

/** Where the error of somebody else is wrapped, in the order from the outside in. */
const wrappings = ['message', 'msg', 'detail', 'details', 'retryDelay', 'errors', 'cause', 'lastError'];
const bodies = ['responseBody', 'body', 'data', 'response', 'error', 'metadata', 'raw'];
const inside = [...wrappings, ...bodies];

/**
 * Collects what an error says: an error of any SDK, a body, a message of a stream, a text. Gateways wrap the error of
 * their upstream in their own, some as escaped JSON inside a sentence; that is unwrapped. Linear in what it looks at,
 * which is bounded. Never throws.
 */
export function factsOf(error: unknown): ErrorFacts {
  const found: Found = { names: new Set(), texts: [], headers: new Map(), left: maxObjects };
  try {
    read(error, found);
  } catch {
    // A field that throws when it is read.
  }
  const { left: _, ...facts } = found;
  return facts;
}

function read(value: unknown, found: Found): void {
  if (typeof value === 'string') readText(value, found);
  else if (typeof value === 'object' && value !== null && found.left > 0) {
    found.left -= 1;
    if (Array.isArray(value)) for (const item of value.slice(0, maxTexts)) read(item, found);
    else readObject(value as Fields, found);
  }
}

function readObject(value: Fields, found: Found): void {
  for (const [name, reader] of readers) reader(value[name], found);
  // The SDK of OpenAI names its errors by their class only.
  nameIt(value.constructor?.name, found);
  // An error of the SDKs repeats its body's message behind the status: the body comes after it.
  for (const name of inside) if (value[name] !== value) read(value[name], found);
}

function readText(given: string, found: Found): void {
  const text = given.trim();
  if (text === '' || found.texts.length >= maxTexts) return;
  const body = jsonIn(text);
  if (body === undefined || !isWholeJson(text)) found.texts.push(excerpt(text));
  if (body !== undefined) read(body, found);
}

function isWholeJson(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[');
}

/** Nobody's error message is longer, and patterns are tried on it. */
function excerpt(text: string): string {
  if (text.length <= maxTextChars) return text;
  return `${text.slice(0, headChars)} … ${text.slice(headChars - maxTextChars)}`;
}

/** The JSON object that the text is, or holds from its first brace to its last. */
function jsonIn(text: string): unknown {
  const first = text.search(/[{[]/);
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (first < 0 || last < first || last - first > 200_000) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(first, last + 1));
    return typeof value === 'object' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `Headers` of a response, or what SDKs make of them: a plain object. */
function readHeaders(value: unknown, found: Found): void {
  if (typeof value !== 'object' || value === null) return;
  const entries = value instanceof Headers ? [...value] : Object.entries(value);
  for (const [name, text] of entries.slice(0, 200)) {
    if (typeof text === 'string') found.headers.set(name.toLowerCase(), text);
  }
}
