import { addressesIn, fileToReplace } from './tool-calls.ts';
import { isAbsolute, relative } from 'node:path';
import { readFile, stat } from 'node:fs/promises';
import { readMedia } from './replay-history.ts';
import type { AgentEvent, AgentSession } from '@throughline/agent';
import type { LookedUp, UpdateMapper } from './session-updates.ts';
import type { SessionStore } from '@throughline/ports';
import type { SessionUpdate } from '@agentclientprotocol/sdk';

interface PumpOptions {
  readonly session: AgentSession;
  readonly store: SessionStore;
  readonly folder: string;
  readonly mapper: UpdateMapper;
  /** Events after this number. */
  readonly after: number;
  /** Resolves when the editor has taken it; rejects when it is gone. */
  readonly send: (update: SessionUpdate) => Promise<void>;
  /** Told every event behind its updates. */
  readonly onEvent: (event: AgentEvent) => void;
}

/**
 * Sends what happens in a session to the editor, as fast as it takes it: what it has not taken yet is in the store, not
 * in memory.
 */
export class SessionPump {
  readonly #options: PumpOptions;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #seq: number;
  #news = Promise.withResolvers<void>();

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#seq = options.after;
    this.#ended = this.#run();
  }

  /** Resolves when all that has been stored until now was sent, or nothing is sent any more. Never rejects. */
  async drained(): Promise<void> {
    const { lastEventSeq } = await this.#options.session.info().catch(() => ({ lastEventSeq: 0 }));
    let isOver = false;
    const over = this.#ended.then(() => void (isOver = true));
    const isBehind = (): boolean => !isOver && this.#seq < lastEventSeq;
    while (isBehind()) await Promise.race([this.#news.promise, over]);
  }

  /** Sends nothing any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { session, mapper, send, onEvent } = this.#options;
    try {
      for await (const event of session.events({ after: this.#seq, signal: this.#stop.signal })) {
        for (const update of mapper.updatesOf(event, await this.#lookUp(event))) await send(update);
        onEvent(event);
        this.#seq = event.seq;
        this.#news.resolve();
        this.#news = Promise.withResolvers<void>();
      }
    } catch {
      // The editor is gone, or the store: whoever waits for the turn is told how it ended.
    }
  }

  async #lookUp(event: AgentEvent): Promise<LookedUp> {
    const { folder, store, session } = this.#options;
    if (event.type === 'llm:tool-result') {
      const addresses = addressesIn(event.data.content);
      return addresses.length === 0 ? {} : { media: await readMedia(store, session.id, addresses) };
    }
    if (event.type !== 'llm:tool-call') return {};
    const before = await textBefore(fileToReplace(event.data, folder), folder);
    return before === undefined ? {} : { before };
  }
}

const mostBytes = 1024 * 1024;

/** The text of a file below the folder, for a difference; `undefined` where there is none, or none that could be shown. */
async function textBefore(path: string | undefined, folder: string): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const below = relative(folder, path);
  if (below.startsWith('..') || isAbsolute(below)) return undefined;
  try {
    const { size } = await stat(path);
    return size <= mostBytes ? await readFile(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
