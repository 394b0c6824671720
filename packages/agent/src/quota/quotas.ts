import { ContextError } from '@throughline/core';
import { checkOptions, invalidOption, numberFrom } from '@throughline/core/internal';
import type { AnswerUsage, OptionChecks } from '@throughline/core/internal';
import type { Clock, Driver, HourOfTokens, OwnerUsage, SessionStore } from '@throughline/ports';

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
    const refusal = refusalFor(owner, limit, { hours: await hoursOf(this.#usage, owner, nowMs), nowMs });
    if (refusal) throw refusal;
  }

  #quotaOf(owner: string): Quota {
    return checkedQuota(this.#options.quotaOf(owner));
  }
}

function checkedQuota(quota: Quota = {}): Quota {
  checkOptions('quotaOf(owner)', quota, quotaChecks);
  return quota;
}

/** Tokens of the last 24 hours. The hour that is 24 hours old does not count any more. */
function hoursOf(usage: OwnerUsage, owner: string, nowMs: number): Promise<readonly HourOfTokens[]> {
  return usage.tokens(owner, nowMs - dayMs + hourMs);
}

interface Used {
  readonly hours: readonly HourOfTokens[];
  readonly nowMs: number;
}

function refusalFor(
  owner: string,
  limit: number,
  { hours, nowMs }: Used,
): ContextError<'quota-exceeded'> | undefined {
  const used = hours.reduce((sum, { tokens }) => sum + tokens, 0);
  if (used < limit) return undefined;
  let left = used;
  const free = hours.find(({ tokens }) => (left -= tokens) < limit);
  const retryAfterMs = free ? Math.max(1, free.beginsAtMs + dayMs - nowMs) : null;
  return exceeded({ owner, quota: 'tokens', limit, used, retryAfterMs });
}

/** The tokens of owners who ask models beside their sessions, such as through a proxy. */
export interface TokenQuota {
  /** What this owner uses is counted. */
  counts(owner: string): boolean;
  /** Why this owner may ask for nothing now; `undefined` where they may, and where the store does not say it. */
  refusalOf(owner: string): Promise<ContextError<'quota-exceeded'> | undefined>;
  /** Counts what was used, behind the answer. */
  used(owner: string, tokens: number): void;
  /** Resolves when all that was used is stored, or cannot be. */
  stored(): Promise<void>;
}

interface TokenQuotaOptions {
  readonly usage: OwnerUsage;
  readonly clock: Clock;
  readonly quotaOf: (owner: string) => Quota | undefined;
}

/** What others use is seen so much later: nobody waits for the store with every request. */
const lookedAtForMs = 1_000;

interface Looked {
  readonly atMs: number;
  readonly hours: Promise<readonly HourOfTokens[] | undefined>;
  /** Used here since. */
  since: number;
}

/**
 * Looks at what an owner has used at most once a second, and counts what is used here at once: a limit may be passed by
 * what is asked in the same moment, and by what others use within a second.
 */
export function createTokenQuota({ usage, clock, quotaOf }: TokenQuotaOptions): TokenQuota {
  const looked = new Map<string, Looked>();
  const waiting = new Map<string, number>();
  let storing: Promise<void> | undefined;
  const wait = (owner: string, tokens: number): void =>
    void waiting.set(owner, (waiting.get(owner) ?? 0) + tokens);
  /** What comes meanwhile is stored together. Where the store is away it waits for what is used next. */
  const storeAll = async (): Promise<void> => {
    for (const [owner, tokens] of waiting) {
      waiting.delete(owner);
      try {
        await usage.add(owner, tokens);
      } catch {
        wait(owner, tokens);
        break;
      }
    }
    storing = undefined;
  };
  const limitOf = (owner: string): number | undefined => checkedQuota(quotaOf(owner)).maxTokensPerDay;
  const lookAt = (owner: string, nowMs: number): Looked => {
    const known = looked.get(owner);
    if (known && nowMs >= known.atMs && nowMs < known.atMs + lookedAtForMs) return known;
    const hours = Promise.resolve(storing)
      .then(() => hoursOf(usage, owner, nowMs))
      .catch(() => undefined);
    const now: Looked = { atMs: nowMs, hours, since: 0 };
    looked.set(owner, now);
    return now;
  };
  return {
    counts: (owner) => limitOf(owner) !== undefined,
    async refusalOf(owner) {
      const limit = limitOf(owner);
      if (limit === undefined) return undefined;
      const nowMs = clock.nowMs();
      const look = lookAt(owner, nowMs);
      const hours = await look.hours;
      const here = { beginsAtMs: nowMs, tokens: look.since };
      return hours && refusalFor(owner, limit, { hours: [...hours, here], nowMs });
    },
    used(owner, tokens) {
      const look = looked.get(owner);
      if (look) look.since += tokens;
      wait(owner, tokens);
      storing ??= storeAll();
    },
    stored: async () => storing,
  };
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
