import { emptyState } from '@throughline/core';
import { isSameEntry, sameMessage } from '@throughline/core/internal';
import { counted, fit, openSnapshot } from './fit.ts';
import type { Codec } from '@throughline/core';
import type { AdapterOptions, StateStore } from './adapter-options.ts';
import type { FitRequest, FittedStep, Snapshot } from './fit.ts';

/** A conversation that is followed from request to request. */
export interface Followed {
  snapshot: Snapshot;
}

/** One request of a conversation, as it is sent. */
export interface FollowedStep extends FittedStep {
  readonly followed: Followed;
  readonly incoming: readonly unknown[];
}

interface Relation {
  readonly followed: Followed;
  /** The messages go on where it stopped. */
  readonly isContinued: boolean;
  /** Messages they have in common. */
  readonly shared: number;
}

// Enough for the conversations that one object serves at the same time; the one not heard of longest goes first.
const mostFollowed = 64;

/**
 * The conversations that one adapter object serves, told apart by their messages: an agent or a model is often made once
 * and used for many. Messages that go on where a known conversation stopped are that conversation; messages that only
 * begin like one (its user went back, or it was forked) start a new one from its state; all others start anew.
 */
export class Conversations {
  readonly #codec: Codec;
  readonly #options: AdapterOptions & StateStore;
  /** The one heard of last at the end. */
  readonly #known = new Set<Followed>();

  constructor(codec: Codec, options: AdapterOptions & StateStore) {
    this.#codec = codec;
    this.#options = options;
  }

  /** Makes the messages of a request fit, after taking in what the provider counted for the request before it. */
  async fit(
    incoming: readonly unknown[],
    request: FitRequest,
    lastInputTokens?: number,
  ): Promise<FollowedStep> {
    const followed = await this.#follow(incoming);
    const before = counted(followed.snapshot, lastInputTokens);
    const fitted = await fit(before, incoming, this.#options, request);
    this.#keep(followed, fitted.after);
    await this.#options.save?.(fitted.after.state, incoming);
    return { ...fitted, followed, incoming };
  }

  /** Takes in what the provider counted for a request; nothing, where a newer one has been sent meanwhile. */
  async count({ followed, after, incoming }: FollowedStep, inputTokens: number | undefined): Promise<void> {
    if (followed.snapshot !== after) return;
    const snapshot = counted(after, inputTokens);
    if (snapshot === after) return;
    this.#keep(followed, snapshot);
    await this.#options.save?.(snapshot.state, incoming);
  }

  /** The conversation whose last request these messages are, or begin with. */
  sentAs(messages: readonly unknown[]): Followed | undefined {
    const sent = [...this.#known].filter(
      ({ snapshot }) => snapshot.sent.length > 0 && startsWith(messages, snapshot.sent),
    );
    return sent.sort((a, b) => a.snapshot.sent.length - b.snapshot.sent.length).at(-1);
  }

  /** The conversation heard of last of which this holds. */
  find(holds: (followed: Followed) => boolean): Followed | undefined {
    return [...this.#known].findLast(holds);
  }

  /** The only conversation there is; `undefined` where there are several, so that none is taken for another. */
  only(): Followed | undefined {
    const [first, second] = this.#known;
    return second ? undefined : first;
  }

  /** Stops what is being written in the background. */
  dispose(): void {
    for (const { snapshot } of this.#known) snapshot.background?.drop();
    this.#known.clear();
  }

  async #follow(incoming: readonly unknown[]): Promise<Followed> {
    const nearest = this.#nearest(incoming);
    if (nearest?.isContinued) return nearest.followed;
    const like = nearest?.followed.snapshot;
    const { load } = this.#options;
    const state = load ? await load(incoming) : like?.state;
    const opened = openSnapshot(this.#codec, state ?? emptyState(), this.#options);
    return { snapshot: like ? { ...opened, transcript: like.transcript } : opened };
  }

  #nearest(incoming: readonly unknown[]): Relation | undefined {
    let nearest: Relation | undefined;
    for (const followed of this.#known) {
      const found = relationOf(followed, incoming);
      if (found && (!nearest || isNearer(found, nearest))) nearest = found;
    }
    return nearest;
  }

  #keep(followed: Followed, snapshot: Snapshot): void {
    followed.snapshot = snapshot;
    this.#known.delete(followed);
    this.#known.add(followed);
    const [oldest] = this.#known;
    if (oldest && this.#known.size > mostFollowed) {
      oldest.snapshot.background?.drop();
      this.#known.delete(oldest);
    }
  }
}

/** What a known conversation has in common with these messages: at least something its user said. */
function relationOf(followed: Followed, incoming: readonly unknown[]): Relation | undefined {
  const { transcript, sent } = followed.snapshot;
  const { entries } = transcript.conversation;
  const length = Math.min(entries.length, incoming.length);
  let shared = 0;
  let hasUser = false;
  for (; shared < length; shared += 1) {
    const entry = entries.at(shared);
    if (!entry || !isSameEntry(incoming[shared], entry)) break;
    hasUser ||= entry.role === 'user';
  }
  if (shared === entries.length && shared > 0) return { followed, isContinued: true, shared };
  if (sent.length > 0 && startsWith(incoming, sent))
    return { followed, isContinued: true, shared: sent.length };
  return hasUser ? { followed, isContinued: false, shared } : undefined;
}

/** Going on counts more than any common beginning; of equals the one heard of last. */
function isNearer(a: Relation, b: Relation): boolean {
  return a.isContinued === b.isContinued ? a.shared >= b.shared : a.isContinued;
}

function startsWith(messages: readonly unknown[], beginning: readonly unknown[]): boolean {
  return (
    beginning.length <= messages.length && beginning.every((one, index) => sameMessage(one, messages[index]))
  );
}
