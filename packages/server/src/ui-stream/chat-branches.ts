import { countNumbered, createNumbered, derivedId, sessionIdOf } from '../follow/named-session.ts';
import { ignoreMissing, openSession } from '../services.ts';
import type { AgentSession, Branch } from '@throughline/agent';
import type { Caller, Services } from '../services.ts';
import type { NumberedId } from '../follow/named-session.ts';

/** One of the sessions of a chat: the first, or one in which it went on another way. */
export interface ChatBranch {
  readonly session: AgentSession;
  /** 1 for the first. */
  readonly number: number;
}

/** So many of the newest branches of a chat are looked at. */
const mostLookedAt = 32;

/**
 * The sessions of a chat. A page keeps one id for it while answers are made anew and messages are edited: each time the
 * session is forked, and what was there stays in the session it was in.
 */
export class ChatBranches {
  readonly #services: Pick<Services, 'agent'>;
  readonly #caller: Caller;
  readonly #idOf: NumberedId;

  private constructor(services: Pick<Services, 'agent'>, caller: Caller, idOf: NumberedId) {
    this.#services = services;
    this.#caller = caller;
    this.#idOf = idOf;
  }

  static async of(services: Pick<Services, 'agent'>, caller: Caller, chatId: string): Promise<ChatBranches> {
    const first = await sessionIdOf(services, caller, chatId);
    return new ChatBranches(services, caller, (number) =>
      number === 1 ? first : derivedId('branch', caller.owner, chatId, number),
    );
  }

  /** The newest first. */
  async *all(): AsyncGenerator<ChatBranch, void, undefined> {
    const count = await this.#count();
    for (let number = count; number > 0 && number > count - mostLookedAt; number -= 1) {
      const session = await openSession(this.#services, this.#caller, this.#idOf(number)).catch(
        ignoreMissing,
      );
      if (session) yield { session, number };
    }
  }

  /** The branch of this session, which the page has seen last; the newest where it names none of them. */
  async at(sessionId: string | undefined): Promise<ChatBranch | undefined> {
    let newest: ChatBranch | undefined;
    for await (const branch of this.all()) {
      if (sessionId === undefined || branch.session.id === sessionId) return branch;
      newest ??= branch;
    }
    return newest;
  }

  /** As `at`; the first is made where there is none. */
  async open(sessionId: string | undefined): Promise<ChatBranch> {
    const known = await this.at(sessionId);
    if (known) return known;
    const { owner } = this.#caller;
    return { session: await this.#services.agent.openOrCreate({ id: this.#idOf(1), owner }), number: 1 };
  }

  /** A branch that has this message in its history, under the id it has there: the one of this session before others. */
  async holding(
    messageId: string,
    sessionId: string | undefined,
  ): Promise<(ChatBranch & { readonly storedId: string }) | undefined> {
    let found: (ChatBranch & { readonly storedId: string }) | undefined;
    for await (const branch of this.all()) {
      const storedId = await this.#storedIdOf(branch, messageId);
      if (storedId === undefined) continue;
      if (sessionId === undefined || branch.session.id === sessionId) return { ...branch, storedId };
      found ??= { ...branch, storedId };
    }
    return found;
  }

  /** Another way to go on, made by `make` under the id that it gets. */
  async add(make: (sessionId: string) => Promise<Branch>): Promise<ChatBranch> {
    const { made, number } = await createNumbered(this.#idOf, (await this.#count()) + 1, make);
    return { session: made.session, number };
  }

  #count(): Promise<number> {
    return countNumbered(this.#services.agent, this.#idOf);
  }

  /** Several that waited together are one message of the history. */
  async #storedIdOf({ session }: ChatBranch, messageId: string): Promise<string | undefined> {
    const { inbox, history } = this.#services.agent.store;
    const storedId = (await inbox.item(session.id, messageId))?.messageId ?? messageId;
    return (await history.find(session.id, storedId)) && storedId;
  }
}
