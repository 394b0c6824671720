import { ContextError } from '@throughline/core';
import type { SessionStore } from '@throughline/ports';

/** A store that works until somebody says how it fails. */
export interface MortalStore {
  readonly wrap: (store: SessionStore) => SessionStore;
  /** From now on every call fails; `undefined`: it works again. */
  failWith(error: Error | undefined): void;
  /** From now on each call fails as it is said of its number, from 0. */
  failWhen(failureOf: (call: number) => Error | undefined): void;
}

export function mortalStore(): MortalStore {
  let failureOf: (call: number) => Error | undefined = () => undefined;
  let calls = 0;
  const guarded = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value === 'object' && value !== null) return guarded(value);
        if (typeof value !== 'function' || typeof name === 'symbol') return value;
        return (...args: unknown[]): unknown => {
          const failure = failureOf(calls);
          calls += 1;
          return failure ? Promise.reject(failure) : (Reflect.apply(value, target, args) as unknown);
        };
      },
    });
  const failWhen: MortalStore['failWhen'] = (of) => {
    failureOf = of;
    calls = 0;
  };
  return { wrap: guarded, failWhen, failWith: (error) => failWhen(() => error) };
}

export function diskFull(): ContextError<'store-failed'> {
  return new ContextError('store-failed', 'There is no space left.', {
    store: 'sessions.db',
    reason: 'full',
  });
}
