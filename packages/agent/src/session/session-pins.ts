import { newEvent } from '../events/new-event.ts';
import { pinsName, readPins } from '../view/pins.ts';
import { findMessage } from './find-message.ts';
import type { BatchWriter } from '../stream/batch-writer.ts';
import type { SessionContext } from '../view/session-context.ts';
import type { PinOutcome } from './agent-session.ts';
import type { KeptSession } from './find-message.ts';
import type { SessionWork } from './session-work.ts';

interface PinChange {
  readonly ordinal: number;
  readonly isPinned: boolean;
}

interface PinWork extends KeptSession {
  readonly writer: Pick<BatchWriter, 'commit'>;
  /** The one that makes the next request. */
  readonly context: SessionContext;
}

/** What is pinned in a session. */
export class SessionPins {
  readonly #from: KeptSession;
  readonly #work: Pick<SessionWork, 'writer' | 'context' | 'alone'>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(from: KeptSession, work: Pick<SessionWork, 'writer' | 'context' | 'alone'>) {
    this.#from = from;
    this.#work = work;
  }

  async list(): Promise<readonly number[]> {
    return readPins(await this.#from.store.value(this.#from.sessionId, pinsName));
  }

  /** One after another: each begins with what the one before has stored. */
  pin(message: string | number, isPinned: boolean): Promise<PinOutcome> {
    const pinned = this.#last.then(async (): Promise<PinOutcome> => {
      const { ordinal } = await findMessage(this.#from, message);
      const change = { ordinal, isPinned };
      const { writer, context } = this.#work;
      if (writer && context) return await pinMessage({ ...this.#from, writer, context }, change);
      const done = await this.#work.alone((run) => pinMessage({ ...this.#from, ...run }, change));
      return done ?? { type: 'busy' };
    });
    this.#last = pinned.catch(() => {});
    return pinned;
  }
}

/** Stores what is pinned from now on and tells it; the next request is made under it. */
async function pinMessage(
  { store, sessionId, writer, context }: PinWork,
  { ordinal, isPinned }: PinChange,
): Promise<PinOutcome> {
  const before = readPins(await store.value(sessionId, pinsName));
  const others = before.filter((pin) => pin !== ordinal);
  const pins = isPinned ? [...others, ordinal].toSorted((left, right) => left - right) : others;
  if (before.includes(ordinal) !== isPinned) {
    await writer.commit(
      { type: 'value', name: pinsName, value: pins.length === 0 ? null : pins },
      { type: 'event', event: newEvent('message:pinned', { ordinal, isPinned }) },
    );
    context.pins = pins;
  }
  return { type: 'done', pins };
}
