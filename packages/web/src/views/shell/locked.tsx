import { Button } from '../../parts/button.tsx';
import { useState } from 'react';
import type { FormEvent } from 'react';

interface LockedProps {
  /** A token was given, and the server does not take it. */
  readonly wasRefused: boolean;
  readonly onToken: (token: string, forLong: boolean) => void;
}

/** What is shown by a server that wants a token. */
export function Locked({ wasRefused, onToken }: LockedProps) {
  const [token, setToken] = useState('');
  const [forLong, setForLong] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() !== '') onToken(token.trim(), forLong);
  };
  return (
    <main className="m-auto flex h-full max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-xl font-semibold">This server asks for a token</h1>
      <p className="text-ink-soft">
        Whoever set it up has one for you: it is among <code>server.tokens</code> of its configuration.
      </p>
      {wasRefused && (
        <p role="alert" className="rounded-lg bg-bad-soft px-3 py-2 text-bad">
          The server does not know this token.
        </p>
      )}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <label className="flex flex-col gap-1 text-sm font-medium">
          Token
          <input
            type="password"
            autoComplete="current-password"
            value={token}
            onChange={({ target }) => setToken(target.value)}
            className="rounded-lg border border-line-strong bg-ground-raised px-3 py-2 font-mono"
          />
        </label>
        <label className="flex items-center gap-2 text-sm">
          <input type="checkbox" checked={forLong} onChange={({ target }) => setForLong(target.checked)} />
          Keep it in this browser
        </label>
        <Button type="submit" look="primary">
          Go on
        </Button>
      </form>
    </main>
  );
}
