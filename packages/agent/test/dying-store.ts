import type { SessionStore } from '@throughline/ports';

/** A process that dies at its so many-th call of the store: before anything of it is stored, or before it hears of it. */
export interface Death {
  /** From 0. */
  readonly atCall: number;
  readonly when: 'before' | 'after';
}

export class Died extends Error {}

/** What a queue and a run use of the store, until it dies. */
export type UsedStore = Pick<SessionStore, 'inbox' | 'attachments' | 'write'>;

export function dyingStore(store: SessionStore, death: Death | null): UsedStore {
  let calls = 0;
  const mortal =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const isLast = calls === death?.atCall;
      calls += 1;
      if (isLast && death.when === 'before') throw new Died();
      const result = await call(...args);
      if (isLast) throw new Died();
      return result;
    };
  const { inbox, attachments } = store;
  return {
    inbox: {
      ...inbox,
      accept: mortal((...args) => inbox.accept(...args)),
      edit: mortal((...args) => inbox.edit(...args)),
      remove: mortal((...args) => inbox.remove(...args)),
    },
    attachments: { ...attachments, keep: mortal((...args) => attachments.keep(...args)) },
    write: mortal((...args) => store.write(...args)),
  };
}
