import type { ProxyStore } from '@throughline/ports';
import type { ProxyServices } from '../options/proxy-options.ts';

// A store that waits for a lock makes every request wait that asks it.
const pauseMs = 10_000;

/**
 * The store, where it must not fail a request: what it cannot do is told once, and requests go on with what is in
 * memory; after a while it is asked again.
 */
export class StoreGuard {
  readonly #store: ProxyStore;
  readonly #services: Pick<ProxyServices, 'clock' | 'log'>;
  /** When it failed last, while it does. */
  #failedAtMs: number | undefined;

  constructor(store: ProxyStore, services: Pick<ProxyServices, 'clock' | 'log'>) {
    this.#store = store;
    this.#services = services;
  }

  /**
   * What the store says; `undefined` where it fails.
   *
   * @param isRequired it is asked at any time, and what it fails with is thrown
   */
  async ask<Said>(work: (store: ProxyStore) => Promise<Said>, isRequired = false): Promise<Said | undefined> {
    if (!isRequired && this.#isPaused()) return undefined;
    try {
      const said = await work(this.#store);
      if (this.#failedAtMs !== undefined)
        this.#services.log?.info({}, 'The store of the proxy can be used again');
      this.#failedAtMs = undefined;
      return said;
    } catch (error) {
      const isNews = this.#failedAtMs === undefined;
      this.#failedAtMs = this.#services.clock.nowMs();
      if (isNews)
        this.#services.log?.warn(
          { error: String(error) },
          'The store of the proxy cannot be used: what it would keep lasts as long as this process',
        );
      if (isRequired) throw error;
      return undefined;
    }
  }

  #isPaused(): boolean {
    return this.#failedAtMs !== undefined && this.#services.clock.nowMs() - this.#failedAtMs < pauseMs;
  }
}
