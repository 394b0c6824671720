import { ContextError } from '@throughline/core';
import { createAgent } from '@throughline/agent';
import { exitCode } from '../outcome/exit-code.ts';
import { inspectSession } from '../inspect/inspect-session.ts';
import { openSession } from '../reading/open-session.ts';
import { readChatConfig } from '../chat/read-chat-config.ts';
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { run } from '../composition/cli.ts';
import { openProxied } from '../proxy/open-proxied.ts';
import { openSessions, serveMcp } from '@throughline/server';
import { storedConversations } from '@throughline/proxy/stored';
import { usageFailure } from '../outcome/failure.ts';
import type { Agent } from '@throughline/agent';
import type { Cli } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { FormatName } from '@throughline/importers';
import type { Inspection } from '../inspect/inspection.ts';
import type { SessionStore } from '@throughline/ports';

export interface McpCommandOptions {
  readonly config?: string;
  readonly trust?: boolean;
}

/** `throughline mcp`: until the client closes standard input, or the program is told to stop. */
export function mcp(options: McpCommandOptions, cli: Cli, version: string): Promise<ExitCode> {
  return run(cli, {}, async () => {
    if (cli.terminal)
      throw usageFailure(
        'A program that speaks MCP starts this command and talks to it: see docs/guides/mcp.md.',
      );
    const pipes = cli.openPipes();
    const stopped = cli.watchStops();
    const { config } = await readChatConfig({ ...options, json: true }, cli);
    if (config.store.type === 'memory')
      cli.err('throughline: The configuration keeps sessions in memory: there are none to be found here.\n');
    const composition = await cli.compose();
    await using store = await composition.openStoreFrom(config.store);
    const sessions = await openSessions(store, openProxied(store.proxy), { owner: '' });
    const inspect = (of: Asked): Promise<Inspection> => inspectIn(store, of, cli);
    const folder = await realpath(config.agent.workspace).catch(() => config.agent.workspace);
    // It asks no model: what is pinned counts from the next request on, whoever makes it.
    await using agent = createAgent({
      store,
      driver: composition.createDriverFrom(config.model),
      owner: 'mcp',
    });
    const pin = (sessionId: string, recallId: string, isPinned: boolean): Promise<boolean> =>
      pinIn(agent, sessionId, { recallId, isPinned });
    await serveMcp(pipes, { sessions, folder, inspect, pin, version }, stopped);
    pipes.input.destroy();
    return exitCode.ok;
  });
}

interface Pin {
  readonly recallId: string;
  readonly isPinned: boolean;
}

/** `false` where there is no such message. */
async function pinIn(agent: Agent, sessionId: string, { recallId, isPinned }: Pin): Promise<boolean> {
  // A part is kept with the message it is in.
  const ordinal = /^m(\d{1,9})(?:\.\d+)?$/.exec(recallId.trim())?.[1];
  if (ordinal === undefined) return false;
  try {
    await using session = await agent.open(sessionId);
    const { type } = await (isPinned ? session.pin(Number(ordinal)) : session.unpin(Number(ordinal)));
    if (type === 'busy')
      throw new Error(`Another process works on session ${sessionId}: try again when it is done.`);
    return true;
  } catch (error) {
    if (ContextError.is(error, 'not-found')) return false;
    throw error;
  }
}

type Asked = { readonly sessionId: string } | { readonly file: string };

/** A stored session is inspected as its export would be. */
async function inspectIn(store: SessionStore, of: Asked, cli: Cli): Promise<Inspection> {
  if ('file' in of) {
    const file = resolve(cli.workingFolder, of.file);
    // A pipe would be waited for without end, and keep the process from ending with its client.
    const found = await stat(file).catch(() => undefined);
    if (found && !found.isFile() && !found.isDirectory()) throw new Error(`${of.file} is no file to read.`);
    return inspectSession(await openSession(file, {}, cli), {});
  }
  const { format, lines } = await recordedLines(store, of.sessionId);
  const opened = await openSession('-', { format }, { ...cli, readInput: () => linesOf(lines) });
  return inspectSession({ ...opened, file: `session ${of.sessionId}` }, {});
}

interface Recorded {
  readonly format: FormatName;
  readonly lines: AsyncIterable<string> | Iterable<string>;
}

/** A session as its export has it, or what a client of a proxy has said, as its last request had it. */
async function recordedLines(store: SessionStore, id: string): Promise<Recorded> {
  try {
    const { format, body } = await storedConversations({ store: store.proxy }).asRequest({ owner: '' }, id);
    return { format, lines: [body] };
  } catch (error) {
    if (!ContextError.is(error, 'not-found')) throw error;
    return { format: 'throughline', lines: store.sessions.export(id) };
  }
}

async function* linesOf(lines: Recorded['lines']): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${line}\n`;
}
