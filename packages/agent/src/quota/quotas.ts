import { ContextError } from '@throughline/core';
import { checkOptions, invalidOption, numberFrom } from '@throughline/core/internal';
import type { AnswerUsage, OptionChecks } from '@throughline/core/internal';
import type { Clock, Driver, OwnerUsage, SessionStore } from '@throughline/ports';

/** What an owner may have. Nothing is limited that is not named. */
export interface Quota {
  /** Sessions that are there at a time, forks and imported ones included. */
  readonly maxSessions?: number;
  /** Sessions that are worked on at a time, in all processes on the store. */
  readonly maxRunsAtOnce?: number;
  /**
   * Tokens of the last 24 hours, by whole hours: prompts and answers of steps and of summaries, as the provider counts
   * them, and what else is added to the store's `usage`. Steps of which a provider tells no usage are not among them.
   */
  readonly maxTokensPerDay?: number;
}

interface QuotasOptions {
  readonly store: Pick<SessionStore, 'sessions' | 'inbox' | 'usage'>;
  readonly clock: Clock;
  /** `undefined`: nothing is limited. */
  readonly quotaOf: (owner: string) => Quota | undefined;
}

/** What is left to the owner of one session. */
export interface Account {
  /** What steps use is stored. */
  readonly countsTokens: boolean;
  /** @throws {ContextError} `quota-exceeded` where another step may not be asked for */
  admitStep(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const quotaChecks: OptionChecks<Quota> = {
  maxSessions: numberFrom(0),
  maxRunsAtOnce: numberFrom(0),
  maxTokensPerDay: numberFrom(0),
};

/**
 * Limits by owner, looked at before something begins. What begins elsewhere in the same moment is not seen: a limit may
 * be passed by as many as begin at once. A step that has begun goes on to its end.
 */
export class Quotas {
  readonly #options: QuotasOptions;
  readonly #usage: OwnerUsage;

  /** @throws {ContextError} `invalid-option` where the store counts nothing */
  constructor(options: QuotasOptions) {
    const { usage } = options.store;
    if (!usage) throw invalidOption('store', 'one that has `usage`, where there are quotas', 'one without');
    this.#options = options;
    this.#usage = usage;
  }

  /** @throws {ContextError} `quota-exceeded` where the owner has as many sessions as they may */
  async admitSession(owner: string): Promise<void> {
    const limit = this.#quotaOf(owner).maxSessions;
    if (limit === undefined) return;
    const { count } = await this.#usage.sessions(owner);
    if (count >= limit) throw exceeded({ owner, quota: 'sessions', limit, used: count, retryAfterMs: null });
  }

  /** @throws {ContextError} as `admitSession`; `not-found` without such a session */
  async admitCopy(sessionId: string): Promise<void> {
    await this.admitSession((await this.#options.store.sessions.read(sessionId)).owner);
  }

  /**
   * A message for a session; what was taken already is answered as before.
   *
   * @throws {ContextError} as `admitRun`
   */
  async admitMessage(sessionId: string, messageId: string | undefined): Promise<void> {
    const { inbox } = this.#options.store;
    if (messageId !== undefined && (await inbox.item(sessionId, messageId))) return;
    await this.admitRun(sessionId);
  }

  /**
   * A run of a session; one that is worked on may have more.
   *
   * @throws {ContextError} `quota-exceeded` where no run may begin; `not-found` without such a session
   */
  async admitRun(sessionId: string): Promise<void> {
    const { owner, status } = await this.#options.store.sessions.read(sessionId);
    const { maxRunsAtOnce: limit } = this.#quotaOf(owner);
    if (limit !== undefined && status === 'idle') {
      const { busy } = await this.#usage.sessions(owner);
      if (busy >= limit) throw exceeded({ owner, quota: 'runs', limit, used: busy, retryAfterMs: 1_000 });
    }
    await this.admitTokens(owner);
  }

  /**
   * What a model is to do for a session beside its runs.
   *
   * @throws {ContextError} as `admitTokens`; `not-found` without such a session
   */
  async admitWork(sessionId: string): Promise<void> {
    await this.admitTokens((await this.#options.store.sessions.read(sessionId)).owner);
  }

  /** The same model, whose answers count for the owner of the session. */
  counting(sessionId: string, driver: Driver): Driver {
    return {
      name: driver.name,
      complete: async (request, options) => {
        const answer = await driver.complete(request, options);
        if (answer.type === 'text' && answer.usage) await this.#count(sessionId, answer.usage);
        return answer;
      },
    };
  }

  /** What was answered is there, whatever becomes of this. */
  async #count(sessionId: string, { inputTokens, outputTokens }: AnswerUsage): Promise<void> {
    try {
      const { owner } = await this.#options.store.sessions.read(sessionId);
      if (this.#quotaOf(owner).maxTokensPerDay === undefined) return;
      await this.#usage.add(owner, inputTokens + outputTokens);
    } catch {
      // The session is gone, or the store is away.
    }
  }

  /** @throws {ContextError} `not-found` */
  async accountOf(sessionId: string): Promise<Account> {
    const { owner } = await this.#options.store.sessions.read(sessionId);
    return {
      countsTokens: this.#quotaOf(owner).maxTokensPerDay !== undefined,
      admitStep: () => this.admitTokens(owner),
    };
  }

  /** @throws {ContextError} `quota-exceeded` where the owner has used what they may in a day */
  async admitTokens(owner: string): Promise<void> {
    const limit = this.#quotaOf(owner).maxTokensPerDay;
    if (limit === undefined) return;
    const nowMs = this.#options.clock.nowMs();
    // Of the hour that is 24 hours old nothing counts.
    const hours = await this.#usage.tokens(owner, nowMs - dayMs + hourMs);
    const used = hours.reduce((sum, { tokens }) => sum + tokens, 0);
    if (used < limit) return;
    let left = used;
    const free = hours.find(({ tokens }) => (left -= tokens) < limit);
    const retryAfterMs = free ? Math.max(1, free.beginsAtMs + dayMs - nowMs) : null;
    throw exceeded({ owner, quota: 'tokens', limit, used, retryAfterMs });
  }

  #quotaOf(owner: string): Quota {
    const quota = this.#options.quotaOf(owner) ?? {};
    checkOptions('quotaOf(owner)', quota, quotaChecks);
    return quota;
  }
}

type Exceeded = ContextError<'quota-exceeded'>['details'];

const sentences: { readonly [Quota in Exceeded['quota']]: (details: Exceeded) => string } = {
  sessions: ({ limit, used }) =>
    `There are ${used} sessions of ${limit} that you may have: delete one first.`,
  runs: ({ limit, used }) => `${used} sessions are at work of ${limit} that you may have at work at a time.`,
  tokens: ({ limit, used }) => `${used} tokens were used in the last 24 hours, of ${limit} that you may use.`,
};

function exceeded(details: Exceeded): ContextError<'quota-exceeded'> {
  return new ContextError('quota-exceeded', sentences[details.quota](details), details);
}
