import { factsOf } from '../failures/error-facts.ts';
import { readFailure } from '../failures/read-failure.ts';

type Body = { readonly [field: string]: unknown };

/** How a request goes on without a field that a server or model refuses. */
const concessions: Readonly<Record<string, (body: Body, field: string) => Body>> = {
  max_tokens: ({ max_tokens: most, ...body }) => ({ ...body, max_completion_tokens: most }),
  max_completion_tokens: ({ max_completion_tokens: most, ...body }) => ({ ...body, max_tokens: most }),
  temperature: without,
  stream_options: without,
  prompt_cache_key: without,
  include: without,
  store: without,
};

const refusal =
  /unsupported|not supported|does not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|extra (?:inputs|fields)|deprecated/i;

function without(body: Body, field: string): Body {
  const { [field]: _, ...rest } = body;
  return rest;
}

/** Remembers which fields a server refuses, and leaves them out from then on. */
export class RefusedFields {
  readonly #refused: string[] = [];

  /** Sends the body; where a field is refused that it can do without, once more without it. Each field goes once. */
  async send<Reply>(body: Body, create: (body: Body) => PromiseLike<Reply>): Promise<Reply> {
    let known = this.#refused.reduce(concede, body);
    for (;;) {
      try {
        return await create(known);
      } catch (error) {
        const field = this.#fieldRefused(error, known);
        if (field === undefined) throw error;
        this.#refused.push(field);
        known = concede(known, field);
      }
    }
  }

  #fieldRefused(error: unknown, body: Body): string | undefined {
    const { status, message, kind } = readFailure(error);
    const isRefusal = (status === 400 || status === 422) && kind === 'provider' && refusal.test(message);
    if (!isRefusal) return undefined;
    const { names } = factsOf(error);
    const isNamed = (field: string): boolean =>
      names.has(field) || new RegExp(`\\b${field}\\b`).test(message);
    return Object.keys(concessions).find(
      (field) => field in body && !this.#refused.includes(field) && isNamed(field),
    );
  }
}

function concede(body: Body, field: string): Body {
  return field in body ? (concessions[field]?.(body, field) ?? body) : body;
}
