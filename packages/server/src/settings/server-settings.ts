import { askedModels, chosenSummariser, configuredModels, keptModels, withModel } from './named-models.ts';
import { ContextError, createStrategy } from '@throughline/core';
import { definedIn } from '@throughline/core/internal';
import { merged, namesOfDifferent } from './merge-settings.ts';
import { nameInList } from '../services.ts';
import { RequestRefused } from '../problem-of.ts';
import { routes } from '@throughline/protocol';
import { strategyNames } from '@throughline/core/internal';
import type { Agent } from '@throughline/agent';
import type * as wire from '@throughline/protocol/types';
import type { Json } from '@throughline/core/codec';
import type { ModelChoices } from './named-models.ts';
import type { Services } from '../services.ts';
import type { StoredSettings } from '@throughline/ports';
import type { Overrides } from './merge-settings.ts';

export type Held = ReturnType<Agent['settings']['get']>;
type AgentChange = Parameters<Agent['settings']['set']>[0];

/** What several processes that change settings at once are given: each loses to a faster one only so often. */
const mostTries = 10;

/**
 * Settings of all sessions: what is configured, what goes before it, and what of that cannot be had. The overrides are
 * kept in the store, where that can keep them: for the next start, and for other processes.
 */
export class ServerSettings {
  readonly #services: Pick<Services, 'agent' | 'models'>;
  /** What the server began with. */
  readonly begun: Held;
  #overrides: Overrides = {};
  /** What was kept and cannot be read, as of a newer program: it is kept on. */
  #unread: Unread = {};
  #revision = 0;
  #choices: ModelChoices = configuredModels;
  #refused: readonly wire.RefusedSetting[] = [];
  /** One change after another: each is made of what the one before left. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(services: Pick<Services, 'agent' | 'models'>, begun: Held) {
    this.#services = services;
    this.begun = begun;
  }

  get choices(): ModelChoices {
    return this.#choices;
  }

  /** What of the overrides cannot be had here and now; all others hold. */
  get refused(): readonly wire.RefusedSetting[] {
    return this.#refused;
  }

  get isKept(): boolean {
    return this.#store !== undefined;
  }

  /**
   * Changes what is named and keeps it, or does neither.
   *
   * @throws {RequestRefused} @throws {ContextError} for what cannot be had, with the field
   */
  change(change: wire.ChangeSettingsRequest): Promise<void> {
    return this.#after(async () => {
      refuseUnknownTools(change, this.#services.agent);
      const asked = await askedModels(change, this.#services.models);
      for (let tries = 0; tries < mostTries; tries += 1) if (await this.#changed(change, asked)) return;
      throw new RequestRefused('busy', 'Others change the settings all the time. Try again.');
    });
  }

  /** Takes over what another process, or this one in another life, has kept; what cannot be had is told, and left out. */
  refresh(): Promise<void> {
    return this.#after(() => this.#readNewest());
  }

  get #store() {
    return this.#services.agent.store.settings;
  }

  #after<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** `false`: another process was faster. */
  async #changed(change: wire.ChangeSettingsRequest, asked: Partial<ModelChoices>): Promise<boolean> {
    await this.#readNewest();
    const names = Object.keys(change) as readonly (keyof Overrides)[];
    const next = merged(this.#overrides, change);
    const goBack = this.#hold(next, { ...this.#choices, ...asked }, names);
    const unread = withoutNames(this.#unread, names);
    const kept = await this.#keep({ ...unread, ...next }).catch((error: unknown) => {
      goBack();
      throw error;
    });
    if (kept) {
      this.#revision = kept.revision;
      this.#unread = unread;
      this.#refused = this.#refused.filter(({ name }) => !names.includes(name as keyof Overrides));
    } else goBack();
    return kept !== null;
  }

  async #keep(overrides: Overrides & Unread): Promise<Pick<StoredSettings, 'revision'> | null> {
    return this.#store ? await this.#store.keep(this.#revision, overrides as Json) : { revision: 0 };
  }

  async #readNewest(): Promise<void> {
    const stored = await this.#store?.read();
    if (!stored || stored.revision === this.#revision) return;
    const before = this.#overrides;
    const { overrides, unread, refused } = readOverrides(stored.settings);
    const still = this.#refused.map(({ name }) => name as keyof Overrides);
    const names = new Set([
      ...namesOfDifferent(before, overrides),
      ...still.filter((name) => name in overrides),
    ]);
    this.#refused = refused;
    this.#unread = unread;
    for (const name of names) await this.#take(overrides, name);
    this.#revision = stored.revision;
  }

  /** One setting that was kept. */
  async #take(overrides: Overrides, name: keyof Overrides): Promise<void> {
    try {
      const { models } = this.#services;
      const chosen = { ...this.#choices, ...(await keptModels(overrides, name, models)) };
      this.#hold({ ...this.#overrides, [name]: overrides[name] }, chosen, [name]);
    } catch (error) {
      if (!(error instanceof RequestRefused) && !ContextError.is(error)) throw error;
      // It stays among them: where it can be had again it holds again.
      this.#overrides = { ...this.#overrides, [name]: overrides[name] };
      this.#refused = [...this.#refused, { name, message: error.message }];
    }
  }

  /** How to go back. @throws where the agent refuses it; nothing has changed then. */
  #hold(overrides: Overrides, choices: ModelChoices, names: readonly (keyof Overrides)[]): () => void {
    const { settings } = this.#services.agent;
    const before = { overrides: this.#overrides, choices: this.#choices, now: settings.get() };
    const configured = withModel(this.begun, choices);
    const all = { overrides, configured, choices, models: this.#services.models, now: before.now };
    const values = Object.assign({}, ...names.map((name) => valuesOf[name](all))) as AgentChange;
    settings.set(values);
    this.#overrides = definedIn(overrides);
    this.#choices = choices;
    return () => {
      const former = (Object.keys(values) as (keyof AgentChange)[]).map((name) => [name, before.now[name]]);
      settings.set(Object.fromEntries(former) as AgentChange);
      this.#overrides = before.overrides;
      this.#choices = before.choices;
    };
  }
}

type Unread = Readonly<Record<string, unknown>>;

function withoutNames(fields: Unread, names: readonly string[]): Unread {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

interface Around {
  readonly overrides: Overrides;
  readonly configured: Held;
  readonly choices: ModelChoices;
  readonly models: Services['models'];
  readonly now: Held;
}

/** What the agent is told of each setting. */
const valuesOf: Readonly<Record<keyof Overrides, (around: Around) => AgentChange>> = {
  strategy: ({ overrides, configured, now }) => ({
    strategy: strategyNamed(overrides.strategy, configured, now),
  }),
  model: (around) => ({ driver: around.configured.driver, ...summariserIn(around) }),
  summariser: (around) => summariserIn(around),
  windowTokens: ({ overrides, configured }) => ({
    windowTokens: overrides.windowTokens ?? configured.windowTokens,
  }),
  auto: ({ overrides, configured }) => ({ auto: overrides.auto ?? configured.auto }),
  background: ({ overrides, configured }) => ({ background: overrides.background ?? configured.background }),
  showsBudget: ({ overrides, configured }) => ({
    showsBudget: overrides.showsBudget ?? configured.showsBudget,
  }),
  budget: ({ overrides, configured }) => ({ budget: together(configured.budget, overrides.budget) }),
  byModel: (around) => ({ byModel: byModelOf(around) }),
  limits: ({ overrides, configured }) => ({ limits: together(configured.limits, overrides.limits) }),
  approvals: ({ overrides, configured }) => ({ rules: together(configured.rules, overrides.approvals) }),
};

function summariserIn({ choices, configured, models }: Around): AgentChange {
  return { summariser: chosenSummariser(choices, configured, models) };
}

/** Overrides hold no `null`. */
function together<Part extends object>(configured: Part | undefined, own: object | null | undefined): Part {
  return { ...configured, ...own } as Part;
}

/** By the names of drivers, which are those of the list but for the demo. */
function byModelOf({ overrides, configured, models }: Around): NonNullable<Held['byModel']> {
  const before = configured.byModel ?? {};
  const { name: ownName } = configured.driver;
  const named = Object.entries(overrides.byModel ?? {}).map(
    ([name, thresholds]) => [nameInList(ownName, models) === name ? ownName : name, thresholds] as const,
  );
  const changed = named.map(([name, thresholds]) => {
    const own = Object.hasOwn(before, name) ? before[name] : undefined;
    const windowTokens = thresholds?.windowTokens ?? own?.windowTokens;
    const budget = together(own?.budget, thresholds?.budget);
    return [name, { ...(windowTokens !== undefined && { windowTokens }), budget }] as const;
  });
  return { ...before, ...Object.fromEntries(changed) };
}

/** @throws {RequestRefused} with the names that there are */
function strategyNamed(name: Overrides['strategy'], configured: Held, now: Held): Held['strategy'] {
  if (name === undefined || name === null || name === configured.strategy.name) return configured.strategy;
  if (name === now.strategy.name) return now.strategy;
  if (strategyNames.some((known) => known === name)) return createStrategy(name);
  throw new RequestRefused('invalid-request', `There is no strategy ${name}.`, {
    faults: [{ path: '/strategy', message: `expected ${strategyNames.join(' or ')}` }],
  });
}

/** @throws {RequestRefused} with the names of the tools that there are */
function refuseUnknownTools({ approvals }: wire.ChangeSettingsRequest, { facts }: Agent): void {
  const known = facts.tools.map(({ name }) => name);
  const unknown = Object.keys(approvals ?? {}).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const message = `is no tool here; known are ${known.join(', ')}`;
  throw new RequestRefused('invalid-request', `There is no tool ${unknown.join(', ')}.`, {
    faults: unknown.map((name) => ({ path: `/approvals/${name}`, message })),
  });
}

interface ReadOverrides {
  readonly overrides: Overrides;
  readonly unread: Unread;
  readonly refused: readonly wire.RefusedSetting[];
}

/** What is stored, setting by setting: a program of another version may have kept it. */
function readOverrides(stored: Json): ReadOverrides {
  const overrides: Record<string, unknown> = {};
  const unread: Record<string, unknown> = {};
  const refused: wire.RefusedSetting[] = [];
  for (const [name, value] of Object.entries(stored ?? {})) {
    const { error } = routes.changeSettings.body.safeParse({ [name]: value });
    if (error) refused.push({ name, message: error.issues.map(({ message }) => message).join('; ') });
    (error ? unread : overrides)[name] = value;
  }
  return { overrides: merged({}, overrides), unread, refused };
}
