import { ContextError } from '@throughline/core';
import type { SessionStore } from '@throughline/ports';

/** A store that works until somebody says how it fails. */
export interface MortalStore {
  readonly wrap: (store: SessionStore) => SessionStore;
  /** From now on every call fails; `undefined`: it works again. */
  failWith(error: Error | undefined): void;
}

export function mortalStore(): MortalStore {
  let failure: Error | undefined;
  const guarded = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value === 'object' && value !== null) return guarded(value);
        if (typeof value !== 'function' || typeof name === 'symbol') return value;
        return (...args: unknown[]): unknown =>
          failure ? Promise.reject(failure) : (Reflect.apply(value, target, args) as unknown);
      },
    });
  return { wrap: guarded, failWith: (error) => void (failure = error) };
}

export function diskFull(): ContextError<'store-failed'> {
  return new ContextError('store-failed', 'There is no space left.', {
    store: 'sessions.db',
    reason: 'full',
  });
}
