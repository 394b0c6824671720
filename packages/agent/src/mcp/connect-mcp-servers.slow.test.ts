import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callTool, recordEvents } from '../../test/tool-bench.ts';
import { connectMcpServers, mcpToolName } from './connect-mcp-servers.ts';
import type { AddressInfo } from 'node:net';
import type { Tool } from '../tools/tool.ts';
import type { McpServers } from './connect-mcp-servers.ts';

const server = fileURLToPath(new URL('../../test/mcp-server.ts', import.meta.url));
const program = { command: process.execPath, args: [server] };

/** Closed at the end of the test. */
async function connected(...configs: Parameters<typeof connectMcpServers>): Promise<McpServers> {
  const servers = await connectMcpServers(...configs);
  onTestFinished(() => servers[Symbol.asyncDispose]());
  return servers;
}

function toolNamed(servers: McpServers, name: string): Tool {
  const tool = servers.tools.find((one) => one.name === name);
  if (!tool) throw new Error(`no ${name} in ${servers.tools.map((one) => one.name).join(' ')}`);
  return tool;
}

describe('an MCP server that is a program', () => {
  it('lists its tools with names every provider takes, and answers calls', async () => {
    const servers = await connected({ test: program });
    expect(servers.servers).toEqual([{ name: 'test', state: 'connected', toolCount: 7 }]);
    const names = servers.tools.map(({ name }) => name);
    expect(names).toContain('mcp__test__echo');
    expect(names.every((name) => /^[\w-]{1,64}$/.test(name))).toBe(true);
    const echo = toolNamed(servers, 'mcp__test__echo');
    expect(echo).toMatchObject({
      approval: 'ask',
      description: 'Says it again',
      inputSchema: { type: 'object', required: ['text'] },
    });
    expect((await callTool(echo, { text: 'hello' })).text).toMatch(/^hello from \d+$/);
    expect((await callTool(echo, { text: 3 })).state).toBe('error');
    expect((await callTool(echo, 'broken')).text).toContain('must be one JSON object');
  });

  it('gives images as media and resources as text', async () => {
    const servers = await connected({ test: program });
    expect((await callTool(toolNamed(servers, 'mcp__test__picture'), {})).content).toEqual([
      { type: 'text', text: 'look' },
      { type: 'media', mediaType: 'image/png', source: { type: 'base64', data: 'AAAA' } },
      { type: 'text', text: 'inside' },
      { type: 'text', text: 'more: x:z' },
    ]);
  });

  it('makes error results of failures and crashes, and starts again at the next call', async () => {
    const servers = await connected({ test: program });
    const echo = toolNamed(servers, 'mcp__test__echo');
    const failed = await callTool(toolNamed(servers, 'mcp__test__fail'), {});
    expect(failed).toMatchObject({ state: 'error', text: 'out of luck' });
    const before = (await callTool(echo, { text: 'x' })).text;
    const crashed = await callTool(toolNamed(servers, 'mcp__test__crash'), {});
    expect(crashed.state).toBe('error');
    expect(crashed.text).toMatch(/^The MCP server test failed: .*closed[^]*about to crash$/i);
    const after = await callTool(echo, { text: 'x' });
    expect(after.state).toBe('completed');
    expect(after.text).not.toBe(before);
  });

  it('passes progress on, and a call ends with its run or its time', async () => {
    const servers = await connected({ test: program, hasty: { ...program, timeoutMs: 300 } });
    const abort = new AbortController();
    const { events, emit } = recordEvents();
    const cancelled = await callTool(
      toolNamed(servers, 'mcp__test__slow'),
      {},
      {
        signal: abort.signal,
        emit: (event) => {
          emit(event);
          if (event.type === 'tool-output') abort.abort();
        },
      },
    );
    expect(cancelled).toMatchObject({ isCancelled: true, text: 'working\n[cancelled before it finished]' });
    expect(events.some((event) => event.type === 'tool-output' && event.delta === 'working\n')).toBe(true);
    const timedOut = await callTool(toolNamed(servers, 'mcp__hasty__slow'), {});
    expect(timedOut).toMatchObject({ state: 'error', text: expect.stringContaining('timed out') });
    expect((await callTool(toolNamed(servers, 'mcp__hasty__echo'), { text: 'still here' })).state).toBe(
      'completed',
    );
  });

  it('sees only the variables every program gets, and those it is given', async () => {
    process.env['THROUGHLINE_TEST_SECRET_KEY'] = 'x';
    const servers = await connected({ test: { ...program, env: { GIVEN: '1' } } });
    const { text } = await callTool(toolNamed(servers, 'mcp__test__environment'), {});
    delete process.env['THROUGHLINE_TEST_SECRET_KEY'];
    expect(text.split(' ')).toEqual(expect.arrayContaining(['PATH', 'GIVEN']));
    expect(text).not.toContain('SECRET');
  });

  it('is reported when it does not start, and costs only its own tools', async () => {
    const servers = await connected({
      missing: { command: '/nowhere/server' },
      broken: { ...program, args: [server, 'broken'] },
      test: program,
    });
    expect(servers.servers.map(({ state }) => state)).toEqual(['failed', 'failed', 'connected']);
    expect(servers.servers[1]?.error).toContain('no configuration found');
    expect(servers.tools).toHaveLength(7);
  });
});

describe('an MCP server at an address', () => {
  it('answers with the headers it wants, and again after it forgot the session', async () => {
    const child = spawn(process.execPath, [server, 'http', 'pass'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = await once(child.stdout, 'data');
      const url = `http://127.0.0.1:${String(line).trim()}`;
      const headers = { Authorization: 'Bearer pass' };
      const servers = await connected({
        web: { url: `${url}/mcp`, headers },
        barred: { url: `${url}/mcp` },
      });
      expect(servers.servers.map(({ state }) => state)).toEqual(['connected', 'failed']);
      const echo = toolNamed(servers, 'mcp__web__echo');
      expect((await callTool(echo, { text: 'hi' })).text).toMatch(/^hi from/);
      await fetch(`${url}/forget`);
      expect((await callTool(echo, { text: 'again' })).text).toMatch(/^again from/);
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await callTool(echo, { text: 'gone' })).toMatchObject({
        state: 'error',
        text: expect.stringContaining('server web failed'),
      });
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('a careless MCP server', () => {
  const careless = { command: process.execPath, args: [server, 'careless'] };

  it('loses only the tools whose schema is none', async () => {
    const servers = await connected({ test: careless });
    expect(servers.tools.map(({ name }) => name)).toEqual(['mcp__test__good', 'mcp__test__picky']);
    expect(servers.servers).toMatchObject([
      { state: 'connected', toolCount: 2, faulty: [{ name: 'bad' }, { name: 'worse' }] },
    ]);
    expect((await callTool(toolNamed(servers, 'mcp__test__good'), {})).text).toBe('fine');
  });

  it('loses only the block of a result that is none', async () => {
    const servers = await connected({ test: careless });
    const reply = await callTool(toolNamed(servers, 'mcp__test__good'), { isOdd: true });
    expect(reply.state).toBe('completed');
    expect(reply.text).toMatch(/^fine\s\[One content block .* hologram\]$/);
  });

  it('refuses a call without having failed', async () => {
    const servers = await connected({ test: careless });
    const refused = await callTool(toolNamed(servers, 'mcp__test__picky'), {});
    expect(refused.state).toBe('error');
    expect(refused.text).toContain('the city is not on the map');
    expect(refused.text).not.toContain('failed');
  });
});

describe('an address without an MCP server', () => {
  async function errorOf(url: string): Promise<string> {
    const { servers } = await connected({ test: { url, headers: { authorization: 'Bearer secret' } } });
    return servers[0]?.error ?? '';
  }

  async function serve(answer: Parameters<typeof createServer>[1]): Promise<string> {
    const http = createServer(answer);
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    onTestFinished(() => void http.close());
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  }

  it('says why there is no connection', async () => {
    expect(await errorOf('http://127.0.0.1:1/mcp')).toMatch(/fetch failed \(.*(?:ECONNREFUSED|bad port)/);
    expect(await errorOf('http://nosuch.invalid/mcp')).toMatch(/ENOTFOUND|EAI_AGAIN/);
  });

  it('says where it redirects to, and does not go there with the key', async () => {
    let asked = 0;
    const other = await serve((_, response) => {
      asked += 1;
      response.end();
    });
    const url = await serve((_, response) => response.writeHead(307, { location: other }).end());
    expect(await errorOf(url)).toContain(`redirects to ${other}, and no redirect is followed`);
    expect(asked).toBe(0);
  });

  it('says that a web page is no server', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    );
    expect(await errorOf(url)).toContain('answers with a web page');
  });
});

const word = fc.oneof(
  fc.string({ maxLength: 50 }),
  fc.array(fc.constantFrom('a', '_', '/'), { maxLength: 6 }).map((all) => all.join('')),
);

describe('mcpToolName', () => {
  it('is plain where it can be', () => {
    expect(mcpToolName('github', 'create_issue')).toBe('mcp__github__create_issue');
  });

  it('is a name every provider takes, and never that of another tool', () => {
    fc.assert(
      fc.property(word, word, word, word, (server, tool, otherServer, otherTool) => {
        const [name, other] = [mcpToolName(server, tool), mcpToolName(otherServer, otherTool)];
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(name === other).toBe(server === otherServer && tool === otherTool);
      }),
      { numRuns: 2_000 },
    );
  });
});
