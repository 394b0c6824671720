import { useEffect, useState } from 'react';
import type { ConnectionState } from '../../data/connection.ts';

/** A short break says nothing: it is over before anybody has read it. */
const quietMs = 1_500;

export function ConnectionBanner({ connection }: { readonly connection: ConnectionState }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    setShown(false);
    if (connection.state !== 'lost') return undefined;
    const timer = setTimeout(() => setShown(true), quietMs);
    return () => clearTimeout(timer);
  }, [connection.state]);
  if (!isShown) return null;
  return (
    <p
      role="alert"
      className="border-b border-warn/40 bg-warn-soft px-4 py-1.5 text-center text-sm text-warn"
    >
      The connection to the server is lost. Check that <code>throughline serve</code> runs; the page tries
      again by itself, and nothing that was sent is lost.
    </p>
  );
}
