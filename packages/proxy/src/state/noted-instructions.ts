import { messageSpans, outsideOf } from '../wire/client-request.ts';
import { NewestMap } from './newest-map.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Json } from '@throughline/core/codec';

const mostRemembered = 1_000;

/**
 * What clients send beside their messages is large, and the same in each request: it is stored where the rest of the body
 * has another length than in the request before. A text of the same length is not told from the one before it (Claude
 * Code has a line there that differs each time).
 */
export class NotedInstructions {
  readonly #lengths = new NewestMap<string, number>(mostRemembered);

  /** `undefined` where what is stored is good. */
  changedIn(conversationId: string, request: ClientRequest): Json | undefined {
    return this.#lengths.get(conversationId) === lengthBeside(request) ? undefined : instructionsIn(request);
  }

  /** They are stored now. */
  note(conversationId: string, request: ClientRequest): void {
    this.#lengths.set(conversationId, lengthBeside(request));
  }
}

function lengthBeside(request: ClientRequest): number {
  const spans = messageSpans(request);
  return request.text.length - ((spans.at(-1)?.end ?? 0) - (spans[0]?.start ?? 0));
}

function instructionsIn(request: ClientRequest): Json {
  const { system = '', tools = [] } = outsideOf(request);
  return { system, tools: tools as readonly Json[] };
}
