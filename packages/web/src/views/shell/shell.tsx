import { areas } from './areas.ts';
import { clsx } from 'clsx';
import { CommandKeys, openPalette } from '../commands/command-keys.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Link, useLocation } from 'wouter';
import { Menu as MenuIcon, Monitor, Moon, Sun, Zap } from 'lucide-react';
import { focusMain, mainId, useKeptFocus } from './use-kept-focus.ts';
import { Sidebar } from './sidebar.tsx';
import { useNoStrayDrops } from '../../parts/drops/use-no-stray-drops.ts';
import { useSide } from './use-side.ts';
import { usePageCommands } from './use-page-commands.ts';
import { useTheme } from './theme.ts';
import type { ReactNode } from 'react';
import type { ThemeChoice } from './theme.ts';

interface ShellProps {
  readonly banner: ReactNode;
  readonly children: ReactNode;
}

/** What is around every view: the sessions at the left (on a narrow page behind a button), and the areas of the page. */
export function Shell({ banner, children }: ShellProps) {
  const side = useSide();
  usePageCommands();
  useKeptFocus();
  useNoStrayDrops();
  return (
    <div className="flex h-full flex-col">
      <a href="#main" onClick={skipToMain} className="sr-only focus:not-sr-only focus:p-2">
        Skip to the content
      </a>
      {banner}
      <div className="flex min-h-0 flex-1">
        <aside
          ref={side.list}
          tabIndex={-1}
          onKeyDown={side.onKeyDown}
          aria-label="Sessions and areas"
          className={clsx(
            'flex w-72 shrink-0 flex-col outline-none border-r border-line bg-ground-soft max-md:fixed max-md:inset-y-0 max-md:left-0 max-md:z-30 max-md:shadow-xl',
            !side.isOpen && 'max-md:hidden',
          )}
        >
          <Head />
          <div className="min-h-0 flex-1">
            <Sidebar />
          </div>
          <Areas />
        </aside>
        {side.isOpen && (
          <button
            type="button"
            aria-label="Close the list of sessions"
            className="fixed inset-0 z-20 bg-black/50 md:hidden"
            onClick={side.close}
          />
        )}
        <main
          id={mainId}
          tabIndex={-1}
          // What has the focus is never below the list.
          onFocus={side.close}
          className="relative flex min-w-0 flex-1 flex-col outline-none"
        >
          <IconButton
            ref={side.opener}
            label="Sessions"
            className="absolute top-1.5 left-1.5 z-10 md:hidden"
            aria-expanded={side.isOpen}
            onClick={side.open}
          >
            <MenuIcon size={18} aria-hidden />
          </IconButton>
          {children}
        </main>
      </div>
      <CommandKeys />
    </div>
  );
}

/** The address behind the `#` is the place in the page: a plain link to `#main` would leave it. */
function skipToMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  focusMain();
}

interface Theme {
  readonly label: string;
  readonly Icon: typeof Sun;
  readonly next: ThemeChoice;
}

const themes: Readonly<Record<ThemeChoice, Theme>> = {
  system: { label: 'Colours as the system has them', Icon: Monitor, next: 'light' },
  light: { label: 'Light colours', Icon: Sun, next: 'dark' },
  dark: { label: 'Dark colours', Icon: Moon, next: 'system' },
};

function Head() {
  const [choice, setChoice] = useTheme();
  const { Icon, label, next } = themes[choice];
  return (
    <div className="flex items-center gap-2 px-3 pt-2">
      <Link href="/" className="flex items-center gap-2 rounded font-semibold">
        <img src="./icon.svg" alt="" width={22} height={22} />
        Throughline
      </Link>
      <span className="flex-1" />
      <IconButton label="Find or do" isSmall onClick={openPalette}>
        <Zap size={15} aria-hidden />
      </IconButton>
      <IconButton
        label={`${label}. Change to: ${themes[next].label}`}
        isSmall
        onClick={() => setChoice(next)}
      >
        <Icon size={15} aria-hidden />
      </IconButton>
    </div>
  );
}

function Areas() {
  const [location] = useLocation();
  return (
    <nav aria-label="Areas" className="flex flex-wrap gap-1 border-t border-line p-2 text-sm">
      {areas.map(({ href, label }) => (
        <Link
          key={href}
          href={href}
          aria-current={location.startsWith(href) ? 'page' : undefined}
          className="rounded-md px-2 py-1 text-ink-soft hover:bg-ground-strong hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
