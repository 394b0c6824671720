import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callTool, recordEvents } from '../../test/tool-bench.ts';
import { connectMcpServers } from './connect-mcp-servers.ts';
import type { McpServers } from './connect-mcp-servers.ts';
import type { Tool } from '../tools/tool.ts';

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
