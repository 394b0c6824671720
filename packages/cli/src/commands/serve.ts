import { CommandFailure, systemCodeOf } from '../outcome/failure.ts';
import { configuredFacts, serveLines } from '../serve/serve-lines.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { jsonLine, printable, printableLines } from '../terminal/text.ts';
import { once } from 'node:events';
import { readChatConfig } from '../chat/read-chat-config.ts';
import { run } from '../composition/cli.ts';
import type { ChatRequest, ServerRequest } from '../chat/read-chat-config.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { Config } from '@throughline/config';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { RunningServer, ServerOptions } from '@throughline/server';
import type { ServedAgent } from '../serve/open-served-agent.ts';

export interface ServeOptions extends CommonOptions, ChatRequest, ServerRequest {}

/** `throughline serve`: until it is told to stop. */
export function serve(options: ServeOptions, cli: Cli, version: string): Promise<ExitCode> {
  return run(cli, options, async () => {
    const required = await readChatConfig(options, cli);
    const { config, file } = required;
    const [{ createServer, curlLines }, { accessTokensOf, openServedAgent }] = await Promise.all([
      import('@throughline/server'),
      import('../serve/open-served-agent.ts'),
    ]);
    const tokens = accessTokensOf(config.server, cli.env);
    await using served = await openServedAgent(required, cli);
    const about = configuredFacts(config, file);
    const stopped = cli.watchStops();
    await using server = await listening(config, () =>
      createServer(served.services, { ...serverOptionsOf(config, cli), tokens, about }),
    );
    for (const sentence of served.absent) cli.err(`throughline: ${printable(sentence)}\n`);
    const { url } = server.address;
    const header = tokens.length === 0 ? '' : ' -H "authorization: Bearer $TOKEN"';
    cli.out(
      options.json === true
        ? jsonLine({ version: 1, url, ...Object.fromEntries(about), tools: served.tools })
        : printableLines(serveLines(version, url, about, curlLines(url, header))).join('\n'),
    );
    goOn(served, cli);
    if (!stopped.aborted) await once(stopped, 'abort');
    await stop(server, options, cli);
    return exitCode.ok;
  });
}

function serverOptionsOf({ server }: Config, cli: Cli): ServerOptions {
  const { host, port, allowedHosts, allowedOrigins, maxBodyBytes, maxOpenRequests } = server;
  return {
    host,
    port,
    allowedHosts,
    allowedOrigins,
    limits: { maxBodyBytes, maxOpenRequests },
    onFault: (error) => {
      const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
      cli.err(`throughline: ${printableLines(shown).join('\n')}\n`);
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already; --port 0 takes a free one',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no such host is known here',
};

/** What cannot be listened on is a mistake in the set-up, and no fault of ours. */
async function listening(
  { server: { host, port } }: Config,
  listen: () => Promise<RunningServer>,
): Promise<RunningServer> {
  try {
    return await listen();
  } catch (error) {
    const reason = reasons[systemCodeOf(error)];
    if (reason === undefined) throw error;
    throw new CommandFailure('cannot-listen', `Cannot listen on ${host}:${port}: ${reason}.`, {
      exitCode: exitCode.notGood,
    });
  }
}

/** What an earlier process has left is gone on with, while requests are answered. */
function goOn({ services: { agent } }: ServedAgent, cli: Cli): void {
  agent.recover().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    cli.err(`throughline: What was left of earlier runs cannot be gone on with: ${printable(reason)}\n`);
  });
}

async function stop(server: RunningServer, { json }: ServeOptions, cli: Cli): Promise<void> {
  if (json !== true) cli.err('throughline: Stopping …\n');
  await server.stop();
}
