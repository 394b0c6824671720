import { pipeline, Transform } from 'node:stream';
import type { CallerQuota } from '../options/proxy-options.ts';
import type { Driver } from '@throughline/ports';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** Where an answer says what it took: at its beginning, at its end, or both. */
const readBytes = 16_384;
const bytesPerToken = 4;

/** What an upstream has counted for one answer. */
interface CountedUse {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * Counts what one caller's request takes: what the upstream says of each of its answers, and where it says nothing an
 * estimate by bytes and events. An answer that is an error takes nothing. It is told when it is disposed of.
 */
export class TokenMeter implements Disposable {
  readonly #quota: CallerQuota;
  readonly #owner: string;
  readonly #uses: MeteredUse[] = [];

  constructor(quota: CallerQuota, owner: string) {
    this.#quota = quota;
    this.#owner = owner;
  }

  /** One question to an upstream. */
  begin(body: Buffer | Readable | undefined): MeteredUse {
    const use = new MeteredUse(body);
    this.#uses.push(use);
    return use;
  }

  [Symbol.dispose](): void {
    const tokens = this.#uses.reduce((sum, use) => sum + use.tokens, 0);
    if (tokens > 0) this.#quota.used(this.#owner, tokens);
  }
}

/** What a model takes for a summary is the caller's, too. */
export function countedFor(quota: CallerQuota | undefined, owner: string, writer: Driver): Driver {
  if (!quota?.counts(owner)) return writer;
  return {
    name: writer.name,
    complete: async (request, options) => {
      const answer = await writer.complete(request, options);
      if (answer.type === 'text' && answer.usage)
        quota.used(owner, answer.usage.inputTokens + answer.usage.outputTokens);
      return answer;
    },
  };
}

/** What one question and its answer take. */
export class MeteredUse {
  #sentBytes = 0;
  #status: number | undefined;
  #isStream = false;
  #bytes = 0;
  #events = 0;
  #first = '';
  #last = '';
  #counted: CountedUse | undefined;

  /** The body to send. */
  readonly sent: Buffer | Readable | undefined;

  constructor(body: Buffer | Readable | undefined) {
    if (Buffer.isBuffer(body)) this.#sentBytes = body.byteLength;
    this.sent =
      Buffer.isBuffer(body) || !body
        ? body
        : readAlong(body, (chunk) => (this.#sentBytes += chunk.byteLength));
  }

  /** Nobody was there. */
  failed(): void {
    this.#status = 0;
  }

  /** The body of the answer, read along. */
  read(status: number, headers: OutgoingHttpHeaders, body: Readable): Readable {
    this.#status = status;
    this.#isStream = /^text\/event-stream\b/i.test(String(headers['content-type'] ?? ''));
    return readAlong(body, (chunk) => this.#take(chunk));
  }

  /** Who understands the answer knows better than what is read along. */
  settle(counted: CountedUse): void {
    this.#counted = counted;
  }

  get tokens(): number {
    if (this.#status === 0 || (this.#status ?? 200) >= 400) return 0;
    const { inputTokens, outputTokens } = this.#counted ?? this.#said() ?? this.#estimated();
    return inputTokens + outputTokens;
  }

  #take(chunk: Buffer): void {
    const text = chunk.toString('latin1');
    this.#bytes += chunk.byteLength;
    if (this.#isStream) this.#events += text.split('data:').length - 1;
    if (this.#first.length < readBytes) this.#first += text.slice(0, readBytes);
    this.#last = (this.#last + text).slice(-readBytes);
  }

  #said(): CountedUse | undefined {
    const text = this.#bytes > readBytes ? `${this.#first}\n${this.#last}` : this.#last;
    const most = (names: RegExp): number | undefined => {
      const found = [...text.matchAll(names)].map(([, value]) => Number(value));
      return found.length === 0 ? undefined : Math.max(...found);
    };
    const [prompt, answer] = [most(promptNames), most(answerNames)];
    if (prompt === undefined && answer === undefined) return undefined;
    const cached = (most(cacheReadNames) ?? 0) + (most(cacheWriteNames) ?? 0);
    return { inputTokens: (prompt ?? 0) + cached, outputTokens: answer ?? 0 };
  }

  #estimated(): CountedUse {
    const outputTokens = this.#isStream ? this.#events : Math.ceil(this.#bytes / bytesPerToken);
    return { inputTokens: Math.ceil(this.#sentBytes / bytesPerToken), outputTokens };
  }
}

// As OpenAI, Anthropic, Google and Ollama name them. In a text that a model writes the quotes are escaped.
const promptNames = /(?<!\\)"(?:prompt_tokens|input_tokens|promptTokenCount|prompt_eval_count)"\s*:\s*(\d+)/g;
const answerNames =
  /(?<!\\)"(?:completion_tokens|output_tokens|candidatesTokenCount|eval_count)"\s*:\s*(\d+)/g;
// Only Anthropic counts them beside the others.
const cacheReadNames = /(?<!\\)"cache_read_input_tokens"\s*:\s*(\d+)/g;
const cacheWriteNames = /(?<!\\)"cache_creation_input_tokens"\s*:\s*(\d+)/g;

/** Whatever happens at one end of it happens at the other; who reads is told. */
function readAlong(body: Readable, take: (chunk: Buffer) => void): Readable {
  const along = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      take(chunk);
      done(null, chunk);
    },
  });
  return pipeline(body, along, () => undefined).on('error', () => undefined);
}
