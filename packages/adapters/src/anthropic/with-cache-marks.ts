import { markForCache } from '@throughline/core';
import type { MarkOptions } from '@throughline/core/types';
import type { Fitted } from '../following/plain-fit.ts';

/** What a text becomes that carries a mark. */
export interface MarkedText {
  type: 'text';
  text: string;
  cache_control: { type: 'ephemeral'; ttl?: '1h' };
}

/** What of a request lies outside the messages. */
export interface OutsideMessages<System, Tool> {
  readonly system?: System;
  readonly tools?: readonly Tool[];
}

/** A request with its marks. A system text that got one is a list of one block. */
export interface MarkedMessages<Message, System, Tool> {
  system?: System | MarkedText[];
  tools?: Tool[];
  messages: Message[];
}

/**
 * The parts of a request with Anthropic's cache marks where the next request will repeat a prefix: after the tools, the
 * system text, the summary of earlier work and the newest message. At most four, those you set yourself included. Keep
 * the history as it is: marks belong to a request.
 */
export function withCacheMarks<Message, System, Tool>(
  fitted: Pick<Fitted<Message, never>, 'rendered'>,
  { system, tools }: OutsideMessages<System, Tool>,
  options: MarkOptions = {},
): MarkedMessages<Message, System, Tool> {
  const marked = markForCache(
    { messages: fitted.rendered, ...(system !== undefined && { system }), ...(tools && { tools }) },
    options,
  );
  // A mark is a field the format has on every block.
  return {
    ...(system !== undefined && { system: marked.system as System | MarkedText[] }),
    ...(tools && { tools: [...(marked.tools as readonly Tool[])] }),
    messages: [...marked.messages] as Message[],
  };
}
