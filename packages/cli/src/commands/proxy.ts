import { ContextError, createStrategy } from '@throughline/core/settings';
import { exitCode } from '../outcome/exit-code.ts';
import { jsonLine, printableLines } from '../terminal/text.ts';
import { once } from 'node:events';
import { readChatConfig } from '../chat/read-chat-config.ts';
import { run } from '../composition/cli.ts';
import { listening, serverOptionsOf } from './serve.ts';
import type { ChatRequest, ServerRequest } from '../chat/read-chat-config.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { Composition } from '../composition/composition.ts';
import type { Config } from '@throughline/config';
import type { ServerLog } from '@throughline/server';
import type { SessionStore } from '@throughline/ports';
import type { ProxyRoute } from '@throughline/proxy';

export interface ProxyCommandOptions
  extends CommonOptions, Pick<ChatRequest, 'config' | 'trust'>, ServerRequest {
  readonly upstream: string;
  readonly window?: number;
  readonly strategy?: string;
  readonly apiKeyEnv?: string;
  readonly notices?: 'none' | 'comment' | 'content';
  readonly recall?: boolean;
}

const routeName = 'upstream';

/** `throughline proxy`: one upstream and nothing else, until it is told to stop. */
export function proxy(options: ProxyCommandOptions, cli: Cli, version: string): Promise<ExitCode> {
  return run(cli, options, async () => {
    const { config } = await readChatConfig(options, cli);
    const [
      { createRawServer, createServerLog, errorFields },
      { compactionAt, configuredIn, hasTokenLimits, keyIn, proxyFrom },
      { accessTokensOf },
    ] = await Promise.all([
      import('@throughline/server'),
      import('../proxy/proxy-from.ts'),
      import('../serve/open-served-agent.ts'),
    ]);
    const tokens = accessTokensOf(config.server, cli.env);
    const log = createServerLog(config.server.logLevel ?? (cli.showsProgress ? 'warn' : 'info'), cli.err);
    const composition = await cli.compose();
    const route: ProxyRoute = {
      ...routeOf(options),
      compaction: compactionAt(options.upstream),
      ...(options.apiKeyEnv !== undefined && { apiKey: keyIn(options.apiKeyEnv, cli.env) }),
    };
    await using store = await openStore(composition, config.store, { log, isNeeded: hasTokenLimits(config) });
    await using routes = await proxyFrom({
      routes: [route],
      composition,
      log,
      everything: routeName,
      ...(await configuredIn(config, composition, store)),
    });
    const stopped = cli.watchStops();
    await using server = await listening(config, () =>
      createRawServer(routes, {
        ...serverOptionsOf(config),
        tokens,
        version,
        log,
        askStore: () => askStore(store),
        onFault: (error) => log.error(errorFields(error), 'An error that nobody foresaw'),
      }),
    );
    const { url } = server.address;
    cli.out(
      options.json === true
        ? jsonLine({ version: 1, url, upstream: options.upstream })
        : startText(version, url, options),
    );
    log.info({ version, url }, 'The proxy is ready');
    if (!stopped.aborted) await once(stopped, 'abort');
    if (cli.showsProgress) cli.err('throughline: Stopping …\n');
    await server.stop({ quietMs: 250 });
    return exitCode.ok;
  });
}

function routeOf({ upstream, strategy, window, notices, recall }: ProxyCommandOptions): ProxyRoute {
  return {
    name: routeName,
    upstream,
    policy: { strategy: createStrategy(strategy ?? 'reactive-overflow') },
    ...(window !== undefined && { windowTokens: window }),
    ...(notices && { notices }),
    ...(recall && { recall }),
  };
}

/** The store keeps what lasts beyond this process; requests are answered without it, too, unless it has to count them. */
async function openStore(
  { openStoreFrom }: Composition,
  config: Config['store'],
  { log, isNeeded }: { readonly log: ServerLog; readonly isNeeded: boolean },
): Promise<SessionStore | undefined> {
  try {
    return await openStoreFrom(config);
  } catch (error) {
    if (!ContextError.is(error) || isNeeded) throw error;
    log.warn({ error: error.message }, 'Conversations are kept in memory: the store cannot be opened');
    return undefined;
  }
}

async function askStore(store: SessionStore | undefined): Promise<void> {
  if (!store) throw new Error('The store is not open.');
  await store.sessions.list({ limit: 1 });
}

function startText(version: string, url: string, { upstream, window }: ProxyCommandOptions): string {
  return printableLines(
    [
      `throughline ${version} stands at ${url} in front of ${upstream}`,
      `  window         ${window === undefined ? 'what the upstream says, else the catalogue' : String(window)}`,
      '',
      'Point a client at it:',
      `  OPENAI_BASE_URL=${url}/v1       # clients of OpenAI`,
      `  ANTHROPIC_BASE_URL=${url}       # Claude Code and clients of Anthropic`,
      '',
      'Ctrl-C stops.',
      '',
    ].join('\n'),
  ).join('\n');
}
