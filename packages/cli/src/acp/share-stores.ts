import type { SessionStore } from '@throughline/ports';
import type { StoreConfig } from '@throughline/config';

interface SharedStores extends AsyncDisposable {
  /** Whoever gets it may close it as often as they like: it stays open for the others. */
  readonly open: (config: StoreConfig) => Promise<SessionStore>;
}

/** Opens each store once, for all agents that are configured to use it; they are closed together at the end. */
export function shareStores(openStore: (config: StoreConfig) => Promise<SessionStore>): SharedStores {
  const stores = new Map<string, Promise<SessionStore>>();
  return {
    async open(config) {
      const key = JSON.stringify(config);
      const opening = stores.get(key) ?? openStore(config);
      stores.set(key, opening);
      try {
        return lent(await opening);
      } catch (error) {
        stores.delete(key);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      const opened = await Promise.allSettled(stores.values());
      stores.clear();
      for (const one of opened) if (one.status === 'fulfilled') await one.value[Symbol.asyncDispose]();
    },
  };
}

function lent(store: SessionStore): SessionStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === Symbol.asyncDispose) return () => Promise.resolve();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
