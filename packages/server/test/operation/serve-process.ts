import { once } from 'node:events';
import { spawnThroughline } from '../spawn-throughline.ts';
import { systemTimer } from '@throughline/ports';
import type { AgentEvent, HistoryMessage, Session } from '@throughline/protocol/types';
import type { Client } from '@throughline/client';

/** `throughline serve` as a process of its own. */
export interface ServeProcess {
  readonly url: string;
  readonly port: number;
  /** What it has logged. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  /** Sends a signal and waits for the end; the exit code, `null` where the signal has ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** Sends a signal. */
  readonly signal: (signal: NodeJS.Signals) => void;
}

/** @param home holds its store; the same one twice is a restart */
export async function startServe(
  home: string,
  { port = 0, env = {} }: { readonly port?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ServeProcess> {
  const child = spawnThroughline(['serve', '--json', '--port', String(port)], { home, env });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  await until(() => out.includes('\n') || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(err);
  const { url } = JSON.parse(out) as { readonly url: string };
  return {
    url,
    port: Number(new URL(url).port),
    log: () =>
      err
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    end: async (signal) => {
      child.kill(signal);
      return await ended;
    },
    signal: (signal) => void child.kill(signal),
  };
}

/** Waits until something holds; the test's own time limit is the only one. */
export async function until(holds: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  while (!(await holds())) await systemTimer.wait(everyMs);
}

/** Everything of a session that was said, oldest first. */
export async function historyOf(client: Client, id: string): Promise<readonly HistoryMessage[]> {
  const messages: HistoryMessage[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listMessages({ id, limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    messages.unshift(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return messages;
}

/** Ids under which messages of the user were sent: several that waited may have become one. */
export function sentIdsIn(history: readonly HistoryMessage[]): readonly string[] {
  return history
    .filter(({ role }) => role === 'user')
    .flatMap(({ id, meta }) => {
      const originals = (
        meta as { readonly originalMessages?: readonly { readonly id: string }[] } | undefined
      )?.originalMessages;
      return originals ? originals.map((one) => one.id) : [id];
    });
}

/** Waits until nothing runs and nothing waits in any of the sessions. */
export async function untilAllRest(client: Client, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await until(async () => {
      const [{ items: runs }, { items: waiting }] = await Promise.all([
        client.listRuns({ id }),
        client.listQueue({ sessionId: id }),
      ]);
      return waiting.length === 0 && runs.every(({ endedAtMs }) => endedAtMs !== null);
    }, 100);
}

/** The events that the journal has of a session. */
export async function journalOf(
  client: Client,
  { id, lastEventSeq }: Session,
): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of client.events(id)) {
    events.push(event);
    if (event.seq >= lastEventSeq) break;
  }
  return events;
}

/** Chunks of a part that ended are taken out of the journal: who read them live has them, who came later has the whole. */
export const isPassing = ({ type, data }: AgentEvent): boolean =>
  type === 'tool:output' || (type === 'llm:chunk' && data.isComplete !== true);
