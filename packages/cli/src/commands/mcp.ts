import { exitCode } from '../outcome/exit-code.ts';
import { inspectSession } from '../inspect/inspect-session.ts';
import { openSession } from '../reading/open-session.ts';
import { readChatConfig } from '../chat/read-chat-config.ts';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { run } from '../composition/cli.ts';
import { serveMcp, storedSessions } from '@throughline/server';
import { usageFailure } from '../outcome/failure.ts';
import type { Cli } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
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
    const sessions = storedSessions(store, { owner: '' });
    const inspect = (of: Asked): Promise<Inspection> => inspectIn(store, of, cli);
    const folder = await realpath(config.agent.workspace).catch(() => config.agent.workspace);
    await serveMcp(pipes, { sessions, folder, inspect, version }, stopped);
    pipes.input.destroy();
    return exitCode.ok;
  });
}

type Asked = { readonly sessionId: string } | { readonly file: string };

/** A stored session is inspected as its export would be. */
async function inspectIn(store: SessionStore, of: Asked, cli: Cli): Promise<Inspection> {
  if ('file' in of) {
    const file = resolve(cli.workingFolder, of.file);
    return inspectSession(await openSession(file, {}, cli), {});
  }
  const readInput = (): AsyncIterable<string> => linesOf(store.sessions.export(of.sessionId));
  const opened = await openSession('-', { format: 'throughline' }, { ...cli, readInput });
  return inspectSession({ ...opened, file: `session ${of.sessionId}` }, {});
}

async function* linesOf(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${line}\n`;
}
