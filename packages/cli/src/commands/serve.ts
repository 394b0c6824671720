import { CommandFailure, systemCodeOf } from '../outcome/failure.ts';
import { configuredFacts, serveLines } from '../serve/serve-lines.ts';
import { dirname } from 'node:path';
import { existsSync } from 'node:fs';
import { exitCode } from '../outcome/exit-code.ts';
import { fileURLToPath } from 'node:url';
import { jsonLine, printable, printableLines } from '../terminal/text.ts';
import { once } from 'node:events';
import { errorMessage } from '@throughline/core/settings';
import { readChatConfig } from '../chat/read-chat-config.ts';
import { run } from '../composition/cli.ts';
import type { ChatRequest, ServerRequest } from '../chat/read-chat-config.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { Config } from '@throughline/config';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { Proxied, RunningServer, ServerLog, ServerOptions } from '@throughline/server';
import type { Agent } from '@throughline/agent';

export interface ServeOptions extends CommonOptions, ChatRequest, ServerRequest {}

/** `throughline serve`: until it is told to stop. */
export function serve(options: ServeOptions, cli: Cli, version: string): Promise<ExitCode> {
  return run(cli, options, async () => {
    const required = await readChatConfig(options, cli);
    const { config, file } = required;
    const [
      { createServer, createServerLog, curlLines, errorFields, logRuns },
      { accessTokensOf, openServedAgent },
    ] = await Promise.all([import('@throughline/server'), import('../serve/open-served-agent.ts')]);
    const tokens = accessTokensOf(config.server, cli.env);
    // Where nobody watches, lines are for a machine.
    const log = createServerLog(config.server.logLevel ?? (cli.showsProgress ? 'warn' : 'info'), cli.err);
    await using served = await openServedAgent(required, cli, log);
    const { agent } = served.services;
    using _ = logRuns(agent, log);
    const about = configuredFacts(config, file);
    const hasRoutes = Object.keys(config.proxy.routes).length > 0;
    const composed = hasRoutes ? await import('../proxy/proxy-from.ts') : undefined;
    await using routes = await composed?.servedProxy(config, cli, { store: agent.store, log });
    const proxied = async (): Promise<Proxied> =>
      (await import('../proxy/open-proxied.ts')).openProxied(agent.store.proxy, routes?.proxy);
    const services = { ...served.services, proxied };
    const stopped = cli.watchStops();
    await using server = await listening(config, () =>
      createServer(services, {
        ...serverOptionsOf(config),
        tokens,
        ...composed?.routingOf(config, routes),
        about,
        ...pageOf(),
        version,
        log,
        onFault: (error) => log.error(errorFields(error), 'An error that nobody foresaw'),
      }),
    );
    for (const sentence of served.absent) log.warn({}, printable(sentence));
    const { url } = server.address;
    const header = tokens.length === 0 ? '' : ' -H "authorization: Bearer $TOKEN"';
    cli.out(
      options.json === true
        ? jsonLine({ version: 1, url, ...Object.fromEntries(about), tools: served.tools })
        : printableLines(serveLines(version, url, about, curlLines(url, header))).join('\n'),
    );
    log.info({ version, url }, 'The server is ready');
    goOn(agent, log);
    await using _watch = watched(agent, log);
    if (!stopped.aborted) await once(stopped, 'abort');
    if (cli.showsProgress) cli.err('throughline: Stopping …\n');
    log.info({ busySessions: agent.busyCount, graceMs: config.server.stopGraceMs }, 'Stopping');
    await stopGracefully(server, agent, config.server.stopGraceMs).then((left) =>
      log.info({ handedOn: left.length }, 'Stopped'),
    );
    return exitCode.ok;
  });
}

/** The page is there where it was built: without it the server says what it is in a few words. */
function pageOf(): Pick<ServerOptions, 'pageFolder'> {
  try {
    const file = fileURLToPath(import.meta.resolve('@throughline/web/page/index.html'));
    return existsSync(file) ? { pageFolder: dirname(file) } : {};
  } catch {
    return {};
  }
}

export function serverOptionsOf({ server }: Config): ServerOptions {
  const { maxBodyBytes, maxOpenRequests } = server;
  const { host, port, allowedHosts, allowedOrigins, metrics, metricsOwners, nodeName } = server;
  const limits = { maxBodyBytes, maxOpenRequests };
  const listed = { host, port, allowedHosts, allowedOrigins, limits, metrics, metricsOwners };
  return { ...listed, ...(nodeName !== undefined && { nodeName }) };
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already; --port 0 takes a free one',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no such host is known here',
};

/** What cannot be listened on is a mistake in the set-up, and no fault of ours. */
export async function listening(
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
function goOn(agent: Agent, log: ServerLog): void {
  agent.recover().then(
    (recovered) => {
      if (recovered.length > 0) log.info({ sessions: recovered.length }, 'Goes on with what was left');
    },
    (error: unknown) =>
      log.error({ error: errorMessage(error) }, 'What was left of earlier runs cannot be gone on with'),
  );
}

/** Other servers may work on the same store. */
function watched(agent: Agent, log: ServerLog): AsyncDisposable {
  return agent.watch({
    onTaken: (sessions) =>
      log.info({ sessions: sessions.length }, 'Goes on with what another server has left'),
    onFault: (error) =>
      log.warn({ error: errorMessage(error) }, 'The store cannot be looked at for what other servers do'),
  });
}

/** Programs that have just been answered ask again within it, and learn that the server stops. */
const quietMs = 250;

/**
 * Nothing new is taken, runs come to the end of their step, and those with more to do are left in the store for the
 * next start; those sessions.
 */
async function stopGracefully(
  server: RunningServer,
  agent: Agent,
  graceMs: number,
): Promise<readonly string[]> {
  server.refuse();
  const left = await agent.stop({ graceMs });
  await server.stop({ quietMs });
  return left;
}
