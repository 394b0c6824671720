import { Button } from '../../parts/button.tsx';
import { forgetToken, keepToken, storedToken } from '../../data/access.ts';
import { Group } from './group.tsx';
import { Select } from '../../parts/select.tsx';
import { useState } from 'react';
import { useTheme } from '../shell/theme.ts';
import type { ThemeChoice } from '../shell/theme.ts';

const themes = [
  { value: 'system', label: 'As the system has them' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const satisfies readonly { readonly value: ThemeChoice; readonly label: string }[];

/** What only this browser knows: its colours, and the token it calls the server with. */
export function ThisBrowser() {
  const [theme, setTheme] = useTheme();
  return (
    <Group title="This browser">
      <div className="max-w-xs py-3">
        <Select
          label="Colours"
          value={theme}
          choices={themes}
          onChange={(value) => setTheme(themes.find((one) => one.value === value)?.value ?? 'system')}
        />
      </div>
      <Token />
    </Group>
  );
}

function Token() {
  const [token, setToken] = useState('');
  const [isForLong, setForLong] = useState(false);
  const hasOne = storedToken() !== undefined;
  // The page's connections have the former token: it begins anew.
  const use = (): void => {
    forgetToken();
    if (token.trim() !== '') keepToken(token.trim(), isForLong);
    location.reload();
  };
  return (
    <form
      className="flex max-w-md flex-col gap-2 border-t border-line py-3"
      onSubmit={(event) => {
        event.preventDefault();
        use();
      }}
    >
      <p className="text-sm">
        {hasOne
          ? 'This browser calls the server with a token.'
          : 'This browser calls the server without a token.'}
      </p>
      <label className="flex flex-col gap-1 text-xs text-ink-soft">
        {hasOne ? 'Another token' : 'Token'}
        <input
          type="password"
          autoComplete="off"
          value={token}
          onChange={({ target }) => setToken(target.value)}
          className="min-h-9 rounded-md border border-line-strong bg-ground px-2 text-sm text-ink"
        />
      </label>
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={isForLong}
          onChange={({ target }) => setForLong(target.checked)}
          className="size-4 accent-accent"
        />
        Keep it in this browser, also when the tab is closed
      </label>
      <div className="flex gap-2">
        <Button type="submit" disabled={token.trim() === ''}>
          Use it
        </Button>
        {hasOne && (
          <Button
            look="danger"
            onClick={() => {
              forgetToken();
              location.reload();
            }}
          >
            Forget the token
          </Button>
        )}
      </div>
    </form>
  );
}
