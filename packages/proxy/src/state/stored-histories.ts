import { messageTexts, titleOf } from './conversation-texts.ts';
import { ContextError, parseState } from '@throughline/core';
import { NotedInstructions } from './noted-instructions.ts';
import { answeredIn, askedIn } from './stand.ts';
import { setImmediate as giveWay, setTimeout } from 'node:timers/promises';
import type { ClientRequest } from '../wire/client-request.ts';
import type { ContextState } from '@throughline/core';
import type { Json } from '@throughline/core/codec';
import type {
  Clock,
  KeptPass,
  PassReport,
  ProxyConversation,
  ProxyStore,
  StoredPass,
} from '@throughline/ports';
import type { StoreGuard } from './store-guard.ts';

/** A history, and whose it is. */
export interface History {
  readonly scope: string;
  /** Names of its beginnings, the last that of all of it. */
  readonly chain: readonly string[];
  readonly request: ClientRequest;
  /** What the store cannot do fails the request. */
  readonly isStrict: boolean;
}

/** What is known of a history before the store is asked. */
interface KnownHere {
  /** The conversation that it goes on with, where another process may have written down more of it. */
  readonly id?: string | undefined;
  /** So many of its messages are all those of the conversation that it goes on with; 0 where it lacks some. */
  readonly shared: number;
}

/** What is stored of a history. */
interface KnownHistory {
  /** The conversations that it may go on with, the nearest first. */
  readonly rows: readonly KnownRow[];
  /** How many requests of the conversation that was asked about are written down; absent, where none is. */
  readonly ownRequests?: number;
  /** All of it was a request before. */
  readonly wasAsked: boolean;
}

/** A conversation that a history goes on with, as it is written down. */
export interface KnownRow {
  readonly id: string;
  /** Number of messages that they have in common, as far as it was answered. */
  readonly shared: number;
  /** Number of messages of its newest history, where this one begins with that. */
  readonly asked?: number;
  /** So many requests of it are written down: it stands elsewhere by now for who knows another number. */
  readonly requests: number;
  /** Number of messages of its newest history. */
  readonly length: number;
  /** Where it stood then, see `readStand`. */
  readonly written: Json;
}

/** A conversation as it is written down. */
interface NotedConversation {
  /** The store may know that it is another one. */
  id: string;
  readonly parentId?: string | undefined;
  /** Since when it is asked, where the store does not have it. */
  unstoredSinceMs?: number | undefined;
  /** So many requests of it were written down when it was written down, or taken over, here last. */
  requests?: number | undefined;
}

/** What a request has made of its conversation. */
interface ConversationNote {
  readonly route: string;
  readonly owner: string;
  readonly label?: string;
  readonly compactions: number;
  readonly usage?: Json;
}

/** So long an answer waits for its note at the most. */
const mostWaitMs = 250;

// The newest conversations among which the one is looked for that a history goes on with.
const mostLookedAt = 100;

/** What the proxy keeps in its store: what requests need before they go out, and, behind them, what people look at. */
export class StoredHistories {
  readonly #guard: StoreGuard;
  readonly #clock: Clock;
  readonly #behind = new Behind();
  readonly #instructions = new NotedInstructions();

  constructor(guard: StoreGuard, clock: Clock) {
    this.#guard = guard;
    this.#clock = clock;
  }

  /**
   * What is known of a history, told by its messages alone; `undefined` where the store cannot say it.
   *
   * @param here what is known of it without the store
   */
  async recognise({ scope, chain, isStrict }: History, here: KnownHere): Promise<KnownHistory | undefined> {
    return await this.#guard.ask(async (store) => {
      const { id, shared } = here;
      const [length, own] = await Promise.all([
        store.knownLength(scope, chain),
        id === undefined ? undefined : readRow(store, scope, id),
      ]);
      const known = { wasAsked: false, ...(own && { ownRequests: own.requests }) };
      // All of them: another process may write down the rest between the two answers.
      const lengths = new Map(chain.map((name, index) => [name, index + 1]));
      const ownRow = own && knownRow(own, lengths, chain.length);
      // Nobody has written down more of it, and none but this one stands there.
      if (ownRow?.asked !== undefined && ownRow.asked >= length) return { rows: [ownRow], ...known };
      if (length <= shared && !own) return { rows: [], ...known };
      const { items } = await store.conversations.list({ scope }, { limit: mostLookedAt });
      const wasAsked = items.some(({ lastUsage }) => askedIn(chain.slice(-1), lastUsage).length > 0);
      const rows = items
        .map((row) => knownRow(row, lengths, chain.length))
        .filter(({ shared }) => shared > 0)
        .sort((one, other) => other.shared - one.shared || one.length - other.length);
      return { ...known, rows, wasAsked };
    }, isStrict);
  }

  /** How many of its messages are stored: all of them, where it was a request before, or the beginning of one. */
  async knownLength({ scope, chain, isStrict }: History): Promise<number | undefined> {
    return await this.#guard.ask((store) => store.knownLength(scope, chain), isStrict);
  }

  /** The pass of the longest history among these; `undefined` where the store cannot say it. */
  async findPass(
    { scope, isStrict }: History,
    names: readonly string[],
  ): Promise<{ readonly pass?: StoredPass } | undefined> {
    return await this.#guard.ask(async (store) => {
      const pass = await store.passes.find(scope, names);
      return pass ? { pass: soundPass(pass) } : {};
    }, isStrict);
  }

  /**
   * Stores a pass before its request goes out. Where another was made of the same history first, that one counts. What
   * the request has behind the history of its pass is stored after it: where something was stored there before, it was
   * sent without it, and the pass stands at the end of the request.
   *
   * @param place.length of the history that it stands on
   * @param place.replaced version of the pass that proved too large; 0 where the request did that had none
   * @returns `undefined` where it cannot be stored
   */
  async keepPass(
    history: History,
    pass: { readonly conversationId: string; readonly state: ContextState; readonly report: PassReport },
    { length, replaced }: { readonly length: number; readonly replaced: number | undefined },
  ): Promise<KeptPass | undefined> {
    const { scope, chain, isStrict } = history;
    return await this.#guard.ask(async (store) => {
      const keepAt = async (end: number, version: number | undefined): Promise<KeptPass | undefined> => {
        const base = { ...history, chain: chain.slice(0, end) };
        const stored = { ...pass, hash: base.chain.at(-1) ?? '' };
        const keep = (): Promise<KeptPass | undefined> =>
          version === undefined
            ? store.passes.add(scope, stored)
            : store.passes.replace(scope, stored, version);
        await addAll(store, base);
        // What it stands on may be pruned meanwhile.
        return (await keep()) ?? (await addAll(store, base).then(keep));
      };
      const atPlace = await keepAt(length, replaced);
      const isLate = atPlace?.pass.isLate === true && length < chain.length;
      const kept = isLate ? await keepAt(chain.length, replaced && 0) : atPlace;
      if (!isLate && length < chain.length) await addAll(store, history);
      return kept && { ...kept, pass: soundPass(kept.pass) };
    }, isStrict);
  }

  /** Resolves when what was noted so far is stored, or does not come to an end. */
  async noted(): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(mostWaitMs, undefined, { signal: late.signal, ref: false });
    await Promise.race([this.#behind.done(), timer.catch(() => undefined)]);
    late.abort();
  }

  /** Writes down, when there is time for it, what was asked and where the conversation stands now. */
  note(history: History, conversation: NotedConversation, { usage, ...note }: ConversationNote): void {
    const { scope, chain, request } = history;
    const { parentId } = conversation;
    const update = {
      ...note,
      title: titleOf(request),
      model: request.model,
      headHash: chain.at(-1) ?? '',
      ...(usage !== undefined && { lastUsage: usage }),
    };
    this.#behind.add(request.text.length, async () => {
      // As it is then: the note before this one may have told that it is another one.
      const { id, unstoredSinceMs } = conversation;
      const instructions = this.#instructions.changedIn(id, request);
      const whole = {
        ...update,
        id,
        ...(parentId !== undefined && parentId !== id && { parentId }),
        ...(instructions !== undefined && { instructions }),
        ...(unstoredSinceMs !== undefined && { unstoredForMs: this.#clock.nowMs() - unstoredSinceMs }),
      };
      await this.#guard.ask(async (store) => {
        await addAll(store, history);
        const row =
          (await store.conversations.update(scope, whole)) ??
          (await addAll(store, history).then(() => store.conversations.update(scope, whole)));
        if (!row) return;
        conversation.id = row.id;
        conversation.unstoredSinceMs = undefined;
        // Where another process has made more of it meanwhile, it stands there.
        conversation.requests = row.headHash === whole.headHash ? row.requests : undefined;
        if (instructions !== undefined) this.#instructions.note(row.id, request);
      });
    });
  }

  /** Writes down that the client of a session has compacted the history of a conversation, behind what is noted of that. */
  noteCompaction(scope: string, conversationId: string, session: string): void {
    this.#behind.add(0, async () => {
      await this.#guard.ask((store) => store.conversations.noteCompaction(scope, conversationId, session));
    });
  }

  /** The conversation whose history this session's client has compacted; told once, by whatever process noted it. */
  async takeCompacted({ scope, isStrict }: History, session: string): Promise<string | undefined> {
    return await this.#guard.ask((store) => store.conversations.takeCompacted(scope, session), isStrict);
  }

  /** Resolves when all that was noted is stored. */
  async done(): Promise<void> {
    await this.#behind.done();
  }
}

/** `undefined` where nobody has written it down yet, or it is gone. */
async function readRow(store: ProxyStore, scope: string, id: string): Promise<ProxyConversation | undefined> {
  try {
    return await store.conversations.read({ scope }, id);
  } catch (error) {
    if (ContextError.is(error, 'not-found')) return undefined;
    throw error;
  }
}

/**
 * A conversation as it is known to a history of so many messages.
 *
 * @param lengths of the beginnings of that history, by their names
 */
function knownRow(
  { id, headHash, length, lastUsage, requests }: ProxyConversation,
  lengths: ReadonlyMap<string, number>,
  count: number,
): KnownRow {
  const asked = lengths.get(headHash);
  const answered = count > length ? lengths.get(answeredIn(headHash, lastUsage)) : undefined;
  return {
    id,
    shared: asked ?? answered ?? 0,
    ...(asked !== undefined && { asked }),
    requests,
    length,
    written: lastUsage,
  };
}

/** @throws {ContextError} `bad-state` where it is none of this version */
function soundPass(pass: StoredPass): StoredPass {
  return { ...pass, state: parseState(pass.state) };
}

/** Stores what of the history is not there: most often its last two messages. */
async function addAll(store: ProxyStore, { scope, chain, request }: History): Promise<void> {
  const length = await store.knownLength(scope, chain);
  if (length === chain.length) return;
  const texts = messageTexts(request);
  const chained = chain.map((hash, index) => ({ hash, message: texts[index] ?? 'null' }));
  const isAdded = await store.addMessages(scope, chain[length - 1] ?? null, chained.slice(length));
  if (!isAdded) await store.addMessages(scope, null, chained);
}

/** What waits holds the texts of requests; nothing is lost for good where one is left out: a later one stores the rest. */
const mostWaiting = 1_000;
const mostCharacters = 64_000_000;

/** Work that nobody waits for, one after the other in the order in which it came. */
class Behind {
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #characters = 0;

  /**
   * Where too much waits already it is left out.
   *
   * @param characters what it holds in memory until it is done
   */
  add(characters: number, work: () => Promise<void>): void {
    if (this.#waiting >= mostWaiting || (this.#waiting > 0 && this.#characters + characters > mostCharacters))
      return;
    this.#waiting += 1;
    this.#characters += characters;
    this.#tail = this.#tail.then(async () => {
      await giveWay();
      await work().catch(() => undefined);
      this.#waiting -= 1;
      this.#characters -= characters;
    });
  }

  /** Resolves when all that waits now is done. */
  async done(): Promise<void> {
    await this.#tail;
  }
}
