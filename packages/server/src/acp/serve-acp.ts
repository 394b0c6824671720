import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import { AcpSession } from './acp-session.ts';
import { errorOf, refused } from './turn-end.ts';
import { isAbsolute } from 'node:path';
import { openSession } from '../services.ts';
import { Readable, Writable } from 'node:stream';
import { realpath, stat } from 'node:fs/promises';
import type { AcpPlace, AcpPlaces, ClientAbilities } from './acp-places.ts';
import type {
  AgentApp,
  AgentContext,
  AgentRequestContext,
  AgentRequestHandler,
  ClientCapabilities,
  InitializeResponse,
  ListSessionsResponse,
  McpServer,
} from '@agentclientprotocol/sdk';
import type { AgentSession, McpServerConfig } from '@throughline/agent';
import type { Caller } from '../services.ts';
import type { Pipes } from '../pipes.ts';
import type { SessionStore } from '@throughline/ports';

export interface AcpOptions {
  readonly places: AcpPlaces;
  readonly version: string;
  /** Told what nobody expected, for the log. */
  readonly onFault: (error: unknown) => void;
}

/** Whoever starts the program is the only user. */
const caller: Caller = { owner: '' };

/** Serves one editor, until it closes the input or the signal is aborted. Then all that is busy is ended. */
export async function serveAcp(pipes: Pipes, options: AcpOptions, signal: AbortSignal): Promise<void> {
  const input = Readable.toWeb(pipes.input) as ReadableStream<Uint8Array>;
  const stream = ndJsonStream(Writable.toWeb(pipes.output), input);
  const editor = new Editor(options);
  const connection = editor.app().connect(stream);
  const onAbort = (): void => connection.close();
  connection.signal.addEventListener('abort', () => editor.leave(), { once: true });
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  await connection.closed.catch(() => undefined);
  signal.removeEventListener('abort', onAbort);
  editor.leave();
  await editor.close();
}

interface Wanted {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly additionalDirectories?: readonly string[];
}

/** The one at the other end, and the sessions it has open. */
class Editor {
  readonly #options: AcpOptions;
  readonly #sessions = new Map<string, AcpSession>();
  readonly #gone = new AbortController();
  #abilities: ClientAbilities = { showsCompactions: false, showsNotices: false };

  constructor(options: AcpOptions) {
    this.#options = options;
  }

  leave(): void {
    this.#gone.abort();
  }

  async close(): Promise<void> {
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(open.map((session) => session.close().catch(this.#options.onFault)));
  }

  app(): AgentApp {
    const { session, initialize, authenticate } = methods.agent;
    const app = agent({ name: 'throughline' })
      .onRequest(
        initialize,
        this.#guarded(({ params }) => this.#initialize(params.clientCapabilities)),
      )
      // Keys come from the environment of the program: there is nothing to sign in to.
      .onRequest(authenticate, () => ({}))
      .onNotification(session.cancel, ({ params }) => this.#sessions.get(params.sessionId)?.cancel());
    return this.#withSessions(this.#withTurns(app));
  }

  #withSessions(app: AgentApp): AgentApp {
    const { session } = methods.agent;
    return app
      .onRequest(
        session.new,
        this.#guarded(async ({ params, client }) => {
          const opened = await this.#create(params, client);
          return { sessionId: opened.id, configOptions: opened.configOptions() };
        }),
      )
      .onRequest(
        session.load,
        this.#guarded(async ({ params, client }) => {
          const opened = await this.#open(params, { client, replays: true });
          return { configOptions: opened.configOptions() };
        }),
      )
      .onRequest(
        session.resume,
        this.#guarded(async ({ params, client }) => {
          const opened = await this.#open(params, { client, replays: false });
          return { configOptions: opened.configOptions() };
        }),
      )
      .onRequest(
        session.list,
        this.#guarded(({ params }) => this.#list(params.cwd ?? undefined, params.cursor ?? undefined)),
      )
      .onRequest(
        session.delete,
        this.#guarded(({ params }) => this.#delete(params.sessionId)),
      );
  }

  #withTurns(app: AgentApp): AgentApp {
    const { session } = methods.agent;
    return app
      .onRequest(
        session.prompt,
        this.#guarded(({ params, signal }) => this.#required(params.sessionId).prompt(params.prompt, signal)),
      )
      .onRequest(
        session.setConfigOption,
        this.#guarded(async ({ params }) => ({
          configOptions: await this.#required(params.sessionId).setOption(params.configId, params.value),
        })),
      )
      .onRequest(
        session.close,
        this.#guarded(async ({ params }) => {
          const known = this.#required(params.sessionId);
          this.#sessions.delete(params.sessionId);
          await known.close();
          return {};
        }),
      );
  }

  /** What is thrown becomes a sentence; what nobody expected is logged, too. */
  #guarded<Params, Answer>(
    handler: AgentRequestHandler<Params, Answer>,
  ): (context: AgentRequestContext<Params>) => Promise<Answer> {
    return async (context) => {
      try {
        return await handler(context);
      } catch (error) {
        const told = errorOf(error);
        if (told !== error && !this.#gone.signal.aborted) this.#options.onFault(error);
        throw told;
      }
    };
  }

  #initialize({ session }: ClientCapabilities = {}): InitializeResponse {
    const isOffered = (ability: unknown): boolean => ability !== undefined && ability !== null;
    this.#abilities = {
      showsCompactions: isOffered(session?.compaction),
      showsNotices: isOffered(session?.notices),
    };
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'throughline', title: 'Throughline', version: this.#options.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  }

  async #create(wanted: Wanted, client: AgentContext): Promise<AcpSession> {
    const place = await this.#placeFor(wanted);
    return await this.#keep(place, client, { replays: false }, () =>
      place.agent.create({ folder: place.folder }),
    );
  }

  async #open(
    wanted: Wanted & { readonly sessionId: string },
    { client, replays }: { readonly client: AgentContext; readonly replays: boolean },
  ): Promise<AcpSession> {
    const { sessionId } = wanted;
    const place = await this.#placeFor(wanted);
    const known = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    await known?.close();
    return await this.#keep(place, client, { replays }, () => openSession(place, caller, sessionId));
  }

  /** The session in this place; where it cannot be opened the place is given back. */
  async #keep(
    place: AcpPlace,
    client: AgentContext,
    begin: { readonly replays: boolean },
    open: () => Promise<AgentSession>,
  ): Promise<AcpSession> {
    try {
      const session = await open();
      const abilities = this.#abilities;
      const opened = new AcpSession({ session, place, client, abilities, gone: this.#gone.signal });
      await opened.begin(begin);
      this.#sessions.set(opened.id, opened);
      // Behind the answer, by which the editor learns of the session.
      setImmediate(() => void opened.introduce().catch(() => undefined));
      return opened;
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #placeFor({ cwd, mcpServers, additionalDirectories = [] }: Wanted): Promise<AcpPlace> {
    if (additionalDirectories.length > 0)
      throw refused('A session works in one folder: additionalDirectories is not supported.');
    return await this.#options.places.open(await folderOf(cwd), serversOf(mcpServers));
  }

  async #list(cwd?: string, cursor?: string): Promise<ListSessionsResponse> {
    const folder = cwd === undefined ? undefined : await folderOf(cwd);
    const store = await this.#options.places.storeOf(folder);
    const { items, next } = await store.sessions.list({
      ...caller,
      ...(folder !== undefined && { folder }),
      ...(cursor !== undefined && { cursor }),
    });
    // Sessions that work in no folder cannot be opened by an editor; those that nobody has used are none.
    const shown = items.filter(
      (info) => info.folder !== '' && (info.messageCount > 0 || info.title !== null),
    );
    return {
      sessions: shown.map(({ id, folder: place, title, updatedAtMs }) => ({
        sessionId: id,
        cwd: place,
        title,
        updatedAt: new Date(updatedAtMs).toISOString(),
      })),
      ...(next !== null && { nextCursor: next }),
    };
  }

  async #delete(sessionId: string): Promise<Record<string, never>> {
    const known = this.#sessions.get(sessionId);
    const store = await this.#options.places.storeOf(known?.folder);
    const isOurs = (await ownerOf(store, sessionId)) === caller.owner;
    this.#sessions.delete(sessionId);
    await known?.close();
    // What is not there is deleted.
    if (isOurs) await store.sessions.delete(sessionId);
    return {};
  }

  #required(sessionId: string): AcpSession {
    const session = this.#sessions.get(sessionId);
    if (session) return session;
    throw RequestError.sessionNotFound(sessionId);
  }
}

async function ownerOf(store: SessionStore, sessionId: string): Promise<string | undefined> {
  return await store.sessions.read(sessionId).then(
    ({ owner }) => owner,
    () => undefined,
  );
}

/** One folder has one name, whatever links lead to it. */
async function folderOf(cwd: string): Promise<string> {
  if (!isAbsolute(cwd)) throw refused(`The folder ${cwd} must be an absolute path.`);
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() !== true) throw refused(`The folder ${cwd} is not there.`);
  return await realpath(cwd);
}

/** The MCP servers that an editor hands on, as the agent connects to them. */
export function serversOf(servers: readonly McpServer[] = []): Readonly<Record<string, McpServerConfig>> {
  return Object.fromEntries(servers.map((server) => [server.name, configOf(server)]));
}

function configOf(server: McpServer): McpServerConfig {
  if (!('type' in server)) {
    const { command, args, env } = server;
    return { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
  }
  if (server.type === 'http') {
    const { url, headers } = server;
    return { url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
  }
  throw refused(`The MCP server ${server.name} speaks SSE, which is not supported: use stdio or http.`);
}
