import { createInterface } from 'node:readline';
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { AddressInfo } from 'node:net';

/*
 * A server to test against, in a process of its own. Without arguments it speaks over its input and output; with `http` it
 * prints its port and listens there.
 */

const [, , mode = 'stdio', secret] = process.argv;
if (mode === 'broken') {
  process.stderr.write('no configuration found\n');
  process.exit(1);
}

/** Speaks the protocol by itself, and badly. */
if (mode === 'careless') {
  const tools = [
    { name: 'good', inputSchema: { type: 'object', properties: {} } },
    { name: 'bad', inputSchema: { type: 'string' } },
    { name: 'worse' },
    { name: 'picky', inputSchema: { type: 'object' } },
  ];
  interface Params {
    readonly name?: string;
    readonly arguments?: { readonly isOdd?: boolean };
  }
  const fine = { type: 'text', text: 'fine' };
  const answers: Readonly<Record<string, (params: Params) => object>> = {
    initialize: () => ({
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'careless', version: '1' },
      },
    }),
    'tools/list': () => ({ result: { tools } }),
    'tools/call': ({ name, arguments: { isOdd } = {} }) =>
      name === 'picky'
        ? { error: { code: -32602, message: 'the city is not on the map' } }
        : { result: isOdd ? { content: [fine, { type: 'hologram' }] } : { content: [fine] } },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line) as {
      readonly id?: number;
      readonly method: string;
      readonly params: Params;
    };
    const answer = answers[method]?.(params);
    if (answer) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
  }
  process.exit(0);
}

function serverOf(): McpServer {
  const server = new McpServer({ name: 'test', version: '1' });
  const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
    content: [{ type: 'text', text: value }],
  });
  server.registerTool(
    'echo',
    { description: 'Says it again', inputSchema: { text: z.string() }, annotations: { readOnlyHint: true } },
    (args) => text(`${args.text} from ${process.pid}`),
  );
  server.registerTool('picture', { inputSchema: {} }, () => ({
    content: [
      { type: 'text', text: 'look' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'x:y', text: 'inside' } },
      { type: 'resource_link', uri: 'x:z', name: 'more' },
    ],
  }));
  server.registerTool('environment', { inputSchema: {} }, () => text(Object.keys(process.env).join(' ')));
  server.registerTool('fail', { inputSchema: {} }, () => {
    throw new Error('out of luck');
  });
  server.registerTool('crash', { inputSchema: {} }, () => {
    process.stderr.write('about to crash\n');
    process.exit(7);
  });
  server.registerTool('slow', { inputSchema: {} }, async (_, { sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined) {
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, message: 'working' },
      });
    }
    await new Promise(() => {});
    return text('never');
  });
  server.registerTool(
    'a tool/with a name that is far too long for any provider of models on earth',
    { inputSchema: {} },
    () => text('long'),
  );
  return server;
}

async function serveHttp(): Promise<void> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer((request, response) => {
    void (async () => {
      if (request.url === '/forget') {
        transports.clear();
        return void response.end();
      }
      if (request.headers['authorization'] !== `Bearer ${secret}`) return void response.writeHead(401).end();
      const id = request.headers['mcp-session-id'];
      let transport = typeof id === 'string' ? transports.get(id) : undefined;
      if (!transport && id !== undefined) return void response.writeHead(404).end();
      if (!transport) {
        const made = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          onsessioninitialized: (one) => void transports.set(one, made),
        });
        transport = made;
        await serverOf().connect(made as Transport);
      }
      await transport.handleRequest(request, response);
    })();
  });
  http.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(http.address() as AddressInfo).port}\n`);
  });
}

if (mode === 'http') await serveHttp();
else await serverOf().connect(new StdioServerTransport());
