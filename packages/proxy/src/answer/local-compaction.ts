import { plainHeaders } from './client-stream.ts';
import { cannotFitOf } from '../manage/context-manager.ts';
import { compactionToken, readCompactionToken } from '../compaction/compaction-token.ts';
import { countText, scriptAwareEstimator } from '@throughline/core';
import { createHash } from 'node:crypto';
import { isTriggered } from '../compaction/client-compaction.ts';
import { ProxyFault } from '../wire/proxy-fault.ts';
import type { Ask, ProxyParts } from './attempt.ts';
import type { Asking } from '../manage/asking.ts';
import type { ClientStream } from './client-stream.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { WireObject } from '@throughline/core/internal';

/** A client's wish to have its history compacted. */
interface CompactionAsk {
  readonly ask: Ask;
  readonly given: ClientRequest;
  readonly asking: Asking;
  readonly parts: ProxyParts;
  /** What it is answered with: an answer of a model, or what `/responses/compact` gives. */
  readonly form: 'response' | 'compaction';
  /** Where an answer goes that is a stream. */
  readonly client?: ClientStream;
}

/**
 * Answers with exactly one item that stands for the history. The client gets the same one however often it asks; when it
 * sends it back, it is expanded.
 */
export async function answerCompaction(compaction: CompactionAsk): Promise<void> {
  const { ask, given, form, client } = compaction;
  const { response } = ask;
  const headers = { 'x-context-action': 'client-compaction' };
  if (form === 'compaction' || !client || !given.isStreamed) {
    const body = JSON.stringify(whole(compaction, await tokenOf(compaction)));
    response.writeHead(200, {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    return;
  }
  client.headers = () => ({ ...headers, ...plainHeaders });
  try {
    const token = await tokenOf(compaction);
    client.end(Buffer.from(eventText(events(compaction, token))));
  } catch (error) {
    if (!client.isCommitted || ask.signal.aborted) throw error;
    client.end(Buffer.from(eventText(failure(compaction, error))));
  }
}

/** @throws {ProxyFault} where there is nothing to compact, or it cannot be made to fit. */
async function tokenOf({ ask, given, asking, parts }: CompactionAsk): Promise<string> {
  const messages = isTriggered(given) ? given.messages.slice(0, -1) : given.messages;
  if (messages.length === 0) throw new ProxyFault('broken-body', 'There is no history to compact.');
  const request = { ...given, messages };
  const { model } = given;
  const key = hashOf([asking.scope, model, messages]);
  try {
    return await parts.compactions.token(key, ask.signal, async (signal) => {
      const summarised = await parts.manager.summarise(request, { ...asking, signal });
      const { beforeTokens: before, afterTokens: final } = summarised;
      const line = `[Context] Compaction for the client: ${before} → ${final} tokens`;
      parts.services.log?.info({ before, final }, line);
      return compactionToken(summarised);
    });
  } catch (error) {
    const cannotFit = cannotFitOf(error);
    throw cannotFit ? new ProxyFault('cannot-fit', cannotFit.message, { cause: error }) : error;
  }
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 48);
}

function whole({ given, parts, form }: CompactionAsk, token: string): WireObject {
  const id = hashOf(token);
  const createdAt = Math.floor(parts.services.clock.nowMs() / 1_000);
  const about = { created_at: createdAt, output: [itemOf(token)], usage: usageOf(token) };
  return form === 'compaction'
    ? { id: `resp_${id}`, object: 'response.compaction', ...about }
    : { ...emptyResponse(given, id, createdAt), ...about, status: 'completed' };
}

function itemOf(token: string): WireObject {
  return { id: `cmp_${hashOf(token)}`, type: 'compaction', encrypted_content: token };
}

/**
 * What the client has after it: the size of what it is given. A client that believed its old history to be still there
 * would compact again at once.
 */
function usageOf(token: string): WireObject {
  // Whole ones: Codex reads nothing else.
  const tokens = Math.ceil(countText(readCompactionToken(token)?.text ?? '', scriptAwareEstimator));
  return {
    input_tokens: tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens,
  };
}

function emptyResponse({ body, model }: ClientRequest, id: string, createdAt: number): WireObject {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: body['parallel_tool_calls'] !== false,
    previous_response_id: null,
    store: false,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    usage: null,
  };
}

type Event = readonly [type: string, fields: WireObject];

function events(compaction: CompactionAsk, token: string): readonly Event[] {
  const response = whole(compaction, token);
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const item = { output_index: 0, item: itemOf(token) };
  return [
    ['response.created', { response: begun }],
    ['response.in_progress', { response: begun }],
    ['response.output_item.added', item],
    ['response.output_item.done', item],
    ['response.completed', { response }],
  ];
}

function failure({ given, parts }: CompactionAsk, error: unknown): readonly Event[] {
  const message = error instanceof ProxyFault ? error.message : 'The history cannot be compacted.';
  const createdAt = Math.floor(parts.services.clock.nowMs() / 1_000);
  const begun = emptyResponse(given, hashOf([createdAt, message]), createdAt);
  const failed = { ...begun, status: 'failed', error: { code: 'server_error', message } };
  return [
    ['response.created', { response: begun }],
    ['response.failed', { response: failed }],
  ];
}

function eventText(all: readonly Event[]): string {
  return all
    .map(([type, fields], at) => {
      const data = JSON.stringify({ type, sequence_number: at, ...fields });
      return `event: ${type}\ndata: ${data}\n\n`;
    })
    .join('');
}
