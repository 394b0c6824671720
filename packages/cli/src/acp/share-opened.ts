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

interface Shared<Value> extends AsyncDisposable {
  readonly take: (key: string) => Promise<Taken<Value>>;
}

/** Opens what is asked for once, hands it to all who ask for the same, and closes it when the last one gives it back. */
export function shareOpened<Value extends AsyncDisposable>(
  open: (key: string) => Promise<Value>,
): Shared<Value> {
  const all = new Map<string, Open<Value>>();
  const leave = async (key: string, opened: Open<Value>): Promise<void> => {
    opened.users -= 1;
    if (opened.users > 0) return;
    if (all.get(key) === opened) all.delete(key);
    await (await opened.value)[Symbol.asyncDispose]();
  };
  return {
    async take(key) {
      const opened = all.get(key) ?? { value: open(key), users: 0 };
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
