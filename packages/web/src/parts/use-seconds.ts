import { useEffect, useState } from 'react';

/** Whole seconds since a moment, counted on; 0 where there is none. */
export function useSeconds(sinceMs: number | undefined): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (sinceMs === undefined) return undefined;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [sinceMs]);
  return sinceMs === undefined ? 0 : Math.max(0, Math.floor((nowMs - sinceMs) / 1_000));
}
