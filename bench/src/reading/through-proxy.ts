import { contextText } from './context-text.ts';
import { convertMessages, createStrategy, openaiChatCodec } from '@throughline/core';
import { createProxyRoutes } from '@throughline/proxy';
import { createRawServer } from '@throughline/server';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { readOverflow } from '@throughline/drivers';
import { systemClock } from '@throughline/ports';
import { text as bodyText } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Contender, Run } from '@throughline/replay';

interface ThroughProxyOptions {
  readonly strategy: string;
  /** W: the window that the route states. */
  readonly windowTokens: number;
  readonly textTokens: (text: string) => number;
}

/** A contender whose servers are closed at the end. */
interface ThroughProxy extends Contender, AsyncDisposable {}

interface ChatRequest {
  readonly messages: readonly unknown[];
}

/**
 * A client that sends its whole history as chat completions, over HTTP through the proxy, and what then reaches the
 * upstream: a step is one request. The upstream counts what it got, as every server reports usage.
 */
export function throughProxy(options: ThroughProxyOptions): ThroughProxy {
  const opened = new Map<number, ReturnType<typeof openSite>>();
  const siteFor = (budgetTokens: number): ReturnType<typeof openSite> => {
    const site = opened.get(budgetTokens) ?? openSite(budgetTokens, options);
    opened.set(budgetTokens, site);
    return site;
  };
  return {
    name: `proxy: ${options.strategy}`,
    kind: 'ours',
    start({ codec, messages }, budgetTokens): Run {
      const history = (length: number): readonly unknown[] =>
        convertMessages(
          messages.slice(0, length).map((message, index) => codec.decode(message, index)),
          codec,
          openaiChatCodec,
        ).messages;
      return {
        codec: openaiChatCodec,
        history,
        async step(length) {
          const site = await siteFor(budgetTokens);
          return { messages: await site.ask(history(length)) };
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const site of opened.values()) await (await site).close();
    },
  };
}

async function openSite(budgetTokens: number, options: ThroughProxyOptions) {
  const { strategy, windowTokens } = options;
  const upstream = await openUpstream(options);
  const routes = createProxyRoutes(
    { clock: systemClock, readOverflow },
    {
      routes: [
        {
          name: 'it',
          upstream: `${upstream.url}/v1`,
          policy: { strategy: createStrategy(strategy), budget: { thresholdTokens: budgetTokens } },
          windowTokens,
        },
      ],
    },
    'it',
  );
  const server = await createRawServer(routes, { port: 0 });
  return {
    /** What reached the upstream when this was sent. */
    async ask(messages: readonly unknown[]): Promise<readonly unknown[]> {
      const answer = await fetch(`${server.address.url}/v1/chat/completions`, {
        method: 'POST',
        // Counting holds up the process that all of them are in: a connection that is kept ends meanwhile.
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ model: 'm', messages }),
      });
      if (!answer.ok) throw new Error(`The proxy answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      return upstream.last();
    },
    async close(): Promise<void> {
      await server.stop();
      upstream.close();
    },
  };
}

async function openUpstream({ textTokens }: ThroughProxyOptions) {
  let last: readonly unknown[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    ({ messages: last } = JSON.parse(await bodyText(request)) as ChatRequest);
    const promptTokens = textTokens(contextText(last, openaiChatCodec));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: promptTokens, completion_tokens: 1, total_tokens: promptTokens + 1 },
      }),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    last: () => last,
    close: () => void server.close(),
  };
}
