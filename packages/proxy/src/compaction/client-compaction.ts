import { isObject } from '@throughline/core/codec';
import { listOf, parseJson, textOf } from '@throughline/core/internal';
import type { ClientRequest } from '../wire/client-request.ts';
import type { IncomingHttpHeaders } from 'node:http';

interface Seen {
  readonly request: ClientRequest;
  readonly headers: IncomingHttpHeaders;
  /** The last text of the last message, where that is the user's; else empty. */
  readonly order: string;
  readonly hasTools: boolean;
}

/** Headings that coding agents ask a summary for; a request for one names most of them. */
const headings = [
  /^#+ *Goal/m,
  /^#+ *Constraints/m,
  /^#+ *Progress/m,
  /^#+ *Key Decisions/m,
  /^#+ *Next Steps/m,
  /^#+ *Critical Context/m,
];
const mostHeadings = 4;

const asksForSummary =
  /\b(context checkpoint|compaction|compact (the|this)|summar\w+[^.]{0,160}\b(conversation|session|history|context|so far|llm|model)|hand-?off)\b/i;

/**
 * How a client asks for a summary of its own history. Its request is answered like any other, but it is no turn of the
 * conversation: what is recognised here starts no pass, and nothing of it is kept.
 */
const recognisers: Readonly<Record<string, (seen: Seen) => boolean>> = {
  'the kind of the request': ({ headers }) => {
    const told = headers['x-codex-turn-metadata'];
    const metadata = typeof told === 'string' ? parseJson(told) : undefined;
    return isObject(metadata) && metadata['request_kind'] === 'compaction';
  },
  'a trigger as last item': ({ request }) => isTriggered(request),
  'an order for an analysis and a summary': ({ order }) =>
    order.includes('<analysis>') && order.includes('<summary>'),
  // An empty list, where every other request of the client has tools in it.
  'an order without tools': ({ request, order }) =>
    Array.isArray(request.body['tools']) &&
    request.body['tools'].length === 0 &&
    request.instructions.length + request.messages.length > 1 &&
    asksForSummary.test(order),
  'an order for sections': ({ order, hasTools }) =>
    !hasTools && headings.filter((heading) => heading.test(order)).length >= mostHeadings,
};

/** By what a request is recognised as the client's own compaction; `undefined` where it is none. */
export function clientCompactionIn(request: ClientRequest, headers: IncomingHttpHeaders): string | undefined {
  const hasTools = listOf(request.body['tools']).length > 0;
  const seen: Seen = { request, headers, order: lastOrder(request), hasTools };
  return Object.keys(recognisers).find((name) => recognisers[name]?.(seen));
}

/** The client wants an item of type `compaction` instead of an answer. */
export function isTriggered({ dialect, messages }: ClientRequest): boolean {
  const last = messages.at(-1);
  return dialect.name === 'responses' && isObject(last) && last['type'] === 'compaction_trigger';
}

function lastOrder({ messages }: ClientRequest): string {
  const last = messages.at(-1);
  if (!isObject(last) || last['role'] !== 'user') return '';
  const { content } = last;
  if (typeof content === 'string') return content;
  const block = listOf(content).at(-1);
  return isObject(block) ? textOf(block['text']) : '';
}
