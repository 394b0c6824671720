import { allowsSingleKeys } from './single-keys.ts';
import { ArrivingWindow } from '../../parts/popups/arriving.tsx';
import { lazy, useEffect, useState, useSyncExternalStore } from 'react';
import { EarlyKeys, startEarly } from './early-keys.tsx';
import { offeredCommands, useCommands } from './commands.ts';
import { isMac, shortcutOf } from './shortcuts.ts';
import { watchable } from '../../data/watchable.ts';
import type { Early } from './early-keys.tsx';
import type { ShortcutId } from './shortcuts.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }));

type Shown = { readonly type: 'palette'; readonly early: Early } | { readonly type: 'shortcuts' };

const shown = watchable<Shown | null>(null);

/** Opens the palette, from a button. */
export function openPalette(): void {
  shown.set({ type: 'palette', early: startEarly() });
}

const openShortcuts = (): void => shown.set({ type: 'shortcuts' });

const windows: { readonly [Id in ShortcutId]?: () => void } = {
  palette: () => shown.get()?.type === 'palette' || openPalette(),
  shortcuts: openShortcuts,
};

const close = (): void => shown.set(null);

/** Keys that work everywhere, and the two windows that they open. */
export function CommandKeys() {
  const open = useSyncExternalStore(shown.subscribe, shown.get);
  useCommands([
    {
      label: 'Show the keys of this page',
      words: 'keyboard shortcuts help',
      group: 'Page',
      shortcut: 'shortcuts',
      run: openShortcuts,
    },
  ]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const where = { isMac, isWriting: isWriting(event.target), allowsSingleKeys: allowsSingleKeys() };
      const id = shortcutOf(event, where);
      if (id === undefined) return;
      const open = windows[id];
      if (open) open();
      else if (!doNow(id)) return;
      event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  if (open === null) return null;
  if (open.type === 'shortcuts')
    return (
      <ArrivingWindow onClose={close}>
        <ShortcutList onClose={close} />
      </ArrivingWindow>
    );
  return <PaletteWindow early={open.early} />;
}

/** What is typed goes into a field of its own until the very moment in which that of the window has the focus. */
function PaletteWindow({ early }: { readonly early: Early }) {
  const [isThere, setThere] = useState(false);
  return (
    <>
      {!isThere && <EarlyKeys early={early} />}
      <ArrivingWindow onClose={close}>
        <Palette early={early} onThere={() => setThere(true)} onClose={close} />
      </ArrivingWindow>
    </>
  );
}

/** Whether somebody offers it now. A window over the page is closed first. */
function doNow(shortcut: ShortcutId): boolean {
  if (document.querySelector('[role=dialog]:not([data-toast])')) return false;
  const command = offeredCommands().find((one) => one.shortcut === shortcut);
  command?.run();
  return command !== undefined;
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
