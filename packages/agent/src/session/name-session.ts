import { newEvent } from '../events/new-event.ts';
import { madeTitleName, messagesOfOpening, openingOf, titleBy, titleByCode } from './title-of.ts';
import type { EventHub } from './event-hub.ts';
import type { Driver } from '@throughline/ports';
import type { AgentEvent, RunOutcome } from '@throughline/protocol/types';
import type { Opening } from './title-of.ts';
import type { KeptSession } from './find-message.ts';

interface NamerOptions {
  readonly titles: 'model' | 'code' | false;
  /** The model that writes summaries, where there is one. */
  readonly writer: () => Driver | undefined;
  readonly hub: Pick<EventHub, 'publish' | 'subscribeToOwn'>;
  readonly signal: AbortSignal;
}

/**
 * Gives a session a title where it has none: by code as soon as its first message is at work, and by a model, where one
 * is to do it, when that run has ended. A title that somebody gave stays. Never rejects: a session without a title is no
 * fault.
 */
export class SessionNamer {
  readonly #from: KeptSession;
  readonly #options: NamerOptions;
  readonly #following: Disposable;
  /** One after the other. */
  #naming: Promise<unknown> = Promise.resolve();
  /** Nothing is left to do, as far as is known here. */
  #hasTitle = false;
  /** The title by code that the model's is put in the place of. */
  #byCode: string | undefined;

  constructor(from: KeptSession, options: NamerOptions) {
    this.#from = from;
    this.#options = options;
    this.#following = options.hub.subscribeToOwn((event) => this.#onEvent(event));
  }

  #onEvent({ type }: AgentEvent): void {
    // What the user has said is in the history now.
    if (type === 'message:dequeued' && this.#options.titles !== false && !this.#hasTitle)
      this.#queue(() => this.#nameByCode());
  }

  /** By code where the run did not come to its natural end: the model may be what failed. */
  onEnded({ type }: RunOutcome): void {
    const { titles } = this.#options;
    // Another process works on it, or the store does not answer.
    if (titles === false || type === 'lost' || type === 'broken') return;
    if (titles === 'model' && type === 'completed') this.#queue(() => this.#nameByModel());
    else if (!this.#hasTitle) this.#queue(() => this.#nameByCode());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#following[Symbol.dispose]();
    await this.#naming;
  }

  #queue(name: () => Promise<void>): void {
    this.#naming = this.#naming.then(async () => {
      if (this.#options.signal.aborted) return;
      // The next run tries again.
      await name().catch(() => undefined);
    });
  }

  async #nameByCode(): Promise<void> {
    if (this.#hasTitle || !(await this.#isUntitled())) return;
    const title = titleByCode((await this.#opening()).request);
    if (title === undefined || !(await this.#rename(title, null))) return;
    if (this.#options.titles === 'model') this.#byCode = title;
  }

  async #nameByModel(): Promise<void> {
    const byCode = this.#byCode;
    this.#byCode = undefined;
    if (byCode === undefined && (this.#hasTitle || !(await this.#isUntitled()))) return;
    const { writer, signal } = this.#options;
    const title = await titleBy(writer(), await this.#opening(), signal);
    if (title !== undefined && title !== byCode) await this.#rename(title, byCode ?? null);
  }

  async #isUntitled(): Promise<boolean> {
    const { store, sessionId } = this.#from;
    const { title } = await store.sessions.read(sessionId);
    this.#hasTitle = title !== null;
    return title === null;
  }

  async #opening(): Promise<Opening> {
    const { store, sessionId } = this.#from;
    const messages = await store.history.messages(sessionId, 0, messagesOfOpening);
    return openingOf(messages.map(({ message }) => message));
  }

  /** @returns whether it has this title now */
  async #rename(title: string, inPlaceOf: string | null): Promise<boolean> {
    const { hub, signal } = this.#options;
    if (signal.aborted) return false;
    const { store, sessionId } = this.#from;
    const events = [newEvent('session:updated', { title })];
    const stored = await store.sessions.rename(sessionId, title, events, {
      inPlaceOf,
      value: { name: madeTitleName, value: title },
    });
    this.#hasTitle = true;
    hub.publish(stored);
    return stored.length > 0;
  }
}
