import { modelLimits } from '@throughline/core';
import type { StoreGuard } from '../state/store-guard.ts';
import type { ModelLimits } from '@throughline/core/types';
import type { ModelEndpoint, ProxyRoute, ProxyServices, StatedLimits } from '../options/proxy-options.ts';

type ModelAddress = Pick<ModelEndpoint, 'baseUrl' | 'model'>;

interface Learned {
  readonly windowTokens: number;
  readonly atMs: number;
}

type Told = (StatedLimits & { readonly atMs: number }) | undefined;

/** What an upstream said of a window, and when it said so first. */
interface ToldBefore {
  readonly windowTokens?: number;
  readonly atMs: number;
}

interface Asked {
  readonly atMs: number;
  readonly limits: Promise<Told>;
  /** Once it is there nobody waits. */
  settled?: { readonly told: Told };
  /** An error has named another window. */
  isDoubted?: true;
}

interface Found {
  readonly windowTokens: number | undefined;
  readonly discovered: Told;
  readonly isLarger: boolean;
  readonly limits: ModelLimits;
}

// Clients name models as they like.
const mostFound = 1_000;

// What is loaded can change while the server runs; who asks too often is a burden.
const askAgainMs = 10 * 60_000;
// Of an address; whoever asks for more makes names up.
const mostModels = 100;
// A first request does not wait longer for what only might be told.
const mostWaitMs = 1_500;

/**
 * What is known of the windows behind the routes: told by the user, learned from errors, asked of the upstream, looked up
 * in the catalogue. What an error named only ever lowers.
 */
export class Windows {
  readonly #services: ProxyServices;
  readonly #learned = new Map<string, Learned>();
  readonly #asked = new Map<string, Asked>();
  /** What was made of what is known, by endpoint. */
  readonly #found = new Map<string, Found>();
  readonly #remembered = new Map<string, Promise<void>>();
  /** What upstreams have told an earlier process, or another one. */
  readonly #toldBefore = new Map<string, ToldBefore>();
  readonly #guard: StoreGuard | undefined;
  /** Where somebody works whose tools alone are larger than the window that is assumed of a local model. */
  readonly #larger = new Set<string>();
  /** Models that were asked for, by address. */
  readonly #models = new Map<string, Set<string>>();

  constructor(services: ProxyServices, guard?: StoreGuard) {
    this.#services = services;
    this.#guard = guard;
  }

  async limitsOf(route: ProxyRoute, endpoint: ModelEndpoint): Promise<ModelLimits> {
    this.#note(endpoint);
    await this.#remember(endpoint);
    if (route.windowTokens !== undefined) return this.known(route, endpoint);
    return this.#limits(route, endpoint, await this.#discovered(keyOf(endpoint), endpoint));
  }

  /** What is known already: nobody is asked. */
  known(route: ProxyRoute, endpoint: ModelAddress): ModelLimits {
    return this.#limits(route, endpoint, this.#asked.get(keyOf(endpoint))?.settled?.told);
  }

  #limits(route: ProxyRoute, endpoint: ModelAddress, discovered: Told): ModelLimits {
    const key = keyOf(endpoint);
    const learned = this.#learned.get(key);
    const isLarger = this.#larger.has(key);
    const { windowTokens } = route;
    const found = this.#found.get(key);
    // What was learned expires; all else stays what it is until it is told anew.
    const isSame = found?.windowTokens === windowTokens && found?.discovered === discovered;
    if (found && isSame && found.isLarger === isLarger && !learned) return found.limits;
    const limits = modelLimits({
      model: endpoint.model,
      endpoint: isLocal(endpoint.baseUrl) && !isLarger ? 'local' : 'hosted',
      nowMs: this.#services.clock.nowMs(),
      ...(windowTokens !== undefined && { user: { windowTokens } }),
      ...(learned && { learned }),
      ...(discovered && { discovered }),
    });
    if (this.#found.size >= mostFound) this.#found.clear();
    if (!learned) this.#found.set(key, { windowTokens, discovered, isLarger, limits });
    return limits;
  }

  /** Models that were asked for at an address since this process began. */
  modelsAt(baseUrl: string): readonly string[] {
    return [...(this.#models.get(baseUrl) ?? [])];
  }

  #note({ baseUrl, model }: ModelAddress): void {
    const models = this.#models.get(baseUrl) ?? new Set();
    if (models.size < mostModels) this.#models.set(baseUrl, models.add(model));
  }

  /** What is only assumed is too small for a client to work in: the upstream says if it is not larger. */
  assumeLarger(endpoint: ModelEndpoint): void {
    this.#larger.add(keyOf(endpoint));
  }

  /** What an error of the upstream named, or what an answer that was cut has shown. */
  learn(endpoint: ModelEndpoint, windowTokens: number): void {
    this.#lower(endpoint, { windowTokens, atMs: this.#services.clock.nowMs() });
    const { baseUrl, model } = endpoint;
    void this.#guard?.ask(({ limits }) => limits.keep(baseUrl, model, { source: 'learned', windowTokens }));
  }

  #lower(endpoint: ModelEndpoint, learned: Learned): void {
    const key = keyOf(endpoint);
    const known = this.#learned.get(key);
    const least = Math.min(learned.windowTokens, known?.windowTokens ?? Infinity);
    this.#learned.set(key, { windowTokens: least, atMs: learned.atMs });
    const asked = this.#asked.get(key);
    // Another model may be loaded than the one that was told of.
    const isNews = least !== known?.windowTokens && asked?.settled?.told?.windowTokens !== least;
    if (asked && isNews) asked.isDoubted = true;
  }

  /** What an earlier process has learned, or another one has until now; asked once, or anew where others share the store. */
  #remember(endpoint: ModelEndpoint): Promise<void> | undefined {
    if (!this.#guard) return undefined;
    const key = keyOf(endpoint);
    const known = this.#remembered.get(key);
    if (known && this.#services.sharesStore !== true) return known;
    const { baseUrl, model } = endpoint;
    const asking = this.#guard
      .ask(({ limits }) => limits.read(baseUrl, model))
      .then((said) => {
        if (said?.learned && said.learned.windowTokens !== this.#learned.get(key)?.windowTokens)
          this.#lower(endpoint, said.learned);
        if (said?.discovered) this.#toldBefore.set(key, said.discovered);
        if (!said) this.#remembered.delete(key);
      });
    this.#remembered.set(key, asking);
    return asking;
  }

  async #discovered(key: string, endpoint: ModelEndpoint): Promise<Told> {
    const asked = this.#ask(key, endpoint);
    return asked.settled ? asked.settled.told : await within(asked.limits, mostWaitMs);
  }

  #ask(key: string, endpoint: ModelEndpoint): Asked {
    const nowMs = this.#services.clock.nowMs();
    const known = this.#asked.get(key);
    if (known && nowMs - known.atMs < askAgainMs && known.isDoubted !== true) return known;
    const before = known?.settled;
    const limits = this.#askUpstream(endpoint).then(
      (told) => told && this.#dated(endpoint, told, nowMs, before?.told ?? this.#toldBefore.get(key)),
      () => undefined,
    );
    // Until it is answered, what was told before is as good as anything.
    const asked: Asked = { atMs: nowMs, limits, ...(before && { settled: before }) };
    void limits.then((told) => (asked.settled = { told }));
    this.#asked.set(key, asked);
    return asked;
  }

  /** Who says the same as before says nothing new: what was learned since counts, by whatever process. */
  #dated(endpoint: ModelEndpoint, told: StatedLimits, askedAtMs: number, before?: ToldBefore): Told {
    const { windowTokens } = told;
    if (before && before.windowTokens === windowTokens) return { ...told, atMs: before.atMs };
    const { baseUrl, model } = endpoint;
    if (windowTokens !== undefined)
      void this.#guard?.ask(({ limits }) =>
        limits.keep(baseUrl, model, { source: 'discovered', windowTokens }),
      );
    return { ...told, atMs: askedAtMs };
  }

  async #askUpstream(endpoint: ModelEndpoint): Promise<StatedLimits | undefined> {
    return await this.#services.discoverLimits?.(endpoint);
  }
}

function keyOf({ baseUrl, model }: ModelAddress): string {
  return `${baseUrl} ${model}`;
}

/** A model in this machine or its network is likely loaded with a small window. */
function isLocal(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[?::1\]?$|host\.docker\.internal$)|\.local$/.test(
    host,
  );
}

async function within<Value>(promise: Promise<Value>, mostMs: number): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), mostMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
