import { useEffect, useState } from 'react';

/** Milliseconds since then, counted every second; 0 where there is nothing to count from. */
export function useElapsed(sinceMs: number | null): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    if (sinceMs === null) return undefined;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [sinceMs]);
  return sinceMs === null ? 0 : Math.max(0, nowMs - sinceMs);
}
