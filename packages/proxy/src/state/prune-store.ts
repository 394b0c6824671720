import type { StoreGuard } from './store-guard.ts';
import type { KeepOptions, ProxyServices } from '../options/proxy-options.ts';

const dayMs = 86_400_000;
const everyMs = 3_600_000;

/** Keeps the store inside its bounds: now, and every hour until it is disposed of, which waits for what is going on. */
export function pruneStore(
  guard: StoreGuard,
  { clock, log }: ProxyServices,
  { days, maxBytes }: KeepOptions,
): AsyncDisposable {
  let going: Promise<void> = Promise.resolve();
  const prune = async (): Promise<void> => {
    const olderThanMs = clock.nowMs() - days * dayMs;
    const pruned = await guard.ask((store) => store.prune({ olderThanMs, maxBytes }));
    if (!pruned || pruned.conversations === 0) return;
    log?.info({ ...pruned }, 'Conversations of the proxy that were too old or too many are deleted');
  };
  const begin = (): void => void (going = going.then(prune));
  const first = setImmediate(begin);
  const timer = setInterval(begin, everyMs);
  timer.unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearImmediate(first);
      clearInterval(timer);
      await going;
    },
  };
}
