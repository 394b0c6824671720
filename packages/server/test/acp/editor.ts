import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { Readable, Writable } from 'node:stream';
import { spawnThroughline } from '../spawn-throughline.ts';
import type { ChildProcess } from 'node:child_process';
import type { SpawnOptions } from '../spawn-throughline.ts';
import type {
  ClientCapabilities,
  ClientContext,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';

/** What the user of the editor chooses, in a session or in all of them. */
export type Choose = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

interface EditorOptions extends SpawnOptions {
  readonly args?: readonly string[];
  readonly abilities?: ClientCapabilities;
  readonly choose?: Choose;
}

export interface Editor {
  readonly agent: ClientContext;
  readonly child: ChildProcess;
  /** Updates of a session, in order. */
  readonly updates: (sessionId: string) => readonly SessionUpdate[];
  /** All that came on standard output. */
  readonly output: () => string;
  readonly log: () => string;
  readonly ended: Promise<number | null>;
  readonly newSession: (cwd: string, choose?: Choose) => Promise<string>;
  readonly prompt: (sessionId: string, text: string) => Promise<PromptResponse>;
  /** Resolves when the session has an update that fits. */
  readonly until: (sessionId: string, fits: (update: SessionUpdate) => boolean) => Promise<SessionUpdate>;
}

export const choosing =
  (optionId: string): Choose =>
  () => ({ outcome: { outcome: 'selected', optionId } });

/** The SDK's own client at the other end of `throughline acp`; it has said who it is. */
export async function startEditor(options: EditorOptions): Promise<Editor> {
  const child = spawnThroughline(['acp', ...(options.args ?? [])], options);
  let output = '';
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const told = new Map<string, SessionUpdate[]>();
  const listeners = new Set<() => void>();
  const chosen = new Map<string, Choose>();
  const choose: Choose = (request, signal) =>
    (chosen.get(request.sessionId) ?? options.choose ?? choosing('allow-once'))(request, signal);
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
      told.set(sessionId, [...(told.get(sessionId) ?? []), update]);
      for (const listener of listeners) listener();
    })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => choose(params, signal))
    .connect(
      ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
    );
  const { agent } = connection;
  const updates = (sessionId: string): readonly SessionUpdate[] => told.get(sessionId) ?? [];
  await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: options.abilities ?? { session: { compaction: {}, notices: {} } },
  });
  return {
    agent,
    child,
    updates,
    output: () => output,
    log: () => log,
    ended,
    newSession: async (cwd, chooses) => {
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
      if (chooses) chosen.set(sessionId, chooses);
      return sessionId;
    },
    prompt: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    until: (sessionId, fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = updates(sessionId).find(fits);
          if (!found) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
      }),
  };
}

/** What was said in updates of one kind, as one text. */
export function textOf(
  updates: readonly SessionUpdate[],
  kind: 'agent_message_chunk' | 'user_message_chunk' | 'agent_thought_chunk',
): string {
  return updates
    .flatMap((update) =>
      update.sessionUpdate === kind && update.content.type === 'text' ? [update.content.text] : [],
    )
    .join('');
}

/** Updates of one kind. */
export function ofKind<Kind extends SessionUpdate['sessionUpdate']>(
  updates: readonly SessionUpdate[],
  kind: Kind,
): readonly Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
  return updates.filter(
    (update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind,
  );
}
