import type { SessionStore } from '@throughline/ports';
import type { StoreConfig } from '@throughline/config';

/** What is open, and how often it was taken. */
interface Open<Value> {
  readonly value: Promise<Value>;
  users: number;
}

interface Taken<Value> {
  readonly value: Value;
  /** Closes it when nobody else has it; a second call does nothing. */
  readonly giveBack: () => Promise<void>;
}

interface Shared<Asked, Value> extends AsyncDisposable {
  readonly take: (asked: Asked) => Promise<Taken<Value>>;
}

/**
 * Opens what is asked for once, hands it to all who ask for the same (as JSON), and closes it when the last one gives it
 * back.
 */
export function shareOpened<Asked, Value extends AsyncDisposable>(
  open: (asked: Asked) => Promise<Value>,
): Shared<Asked, Value> {
  const all = new Map<string, Open<Value>>();
  const leave = async (key: string, opened: Open<Value>): Promise<void> => {
    opened.users -= 1;
    if (opened.users > 0) return;
    if (all.get(key) === opened) all.delete(key);
    await (await opened.value)[Symbol.asyncDispose]();
  };
  return {
    async take(asked) {
      const key = JSON.stringify(asked);
      const opened = all.get(key) ?? { value: open(asked), users: 0 };
      all.set(key, opened);
      opened.users += 1;
      try {
        const value = await opened.value;
        let isGiven = false;
        const giveBack = async (): Promise<void> => {
          if (isGiven) return;
          isGiven = true;
          await leave(key, opened);
        };
        return { value, giveBack };
      } catch (error) {
        // What could not be opened is tried anew by the next one.
        if (all.get(key) === opened) all.delete(key);
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      const left = [...all.values()];
      all.clear();
      const opened = await Promise.allSettled(left.map(async ({ value }) => await value));
      for (const one of opened) if (one.status === 'fulfilled') await one.value[Symbol.asyncDispose]();
    },
  };
}

interface SharedStores extends AsyncDisposable {
  /** Whoever gets it may close it as often as they like: it stays open for the others. */
  readonly open: (config: StoreConfig) => Promise<SessionStore>;
}

/** Opens each store once, for all agents that are configured to use it; they are closed together at the end. */
export function shareStores(openStore: (config: StoreConfig) => Promise<SessionStore>): SharedStores {
  const stores = shareOpened(openStore);
  return {
    open: async (config) => lent((await stores.take(config)).value),
    [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose](),
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
