import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { formatTime } from '../../parts/format.ts';
import { offeredCommands } from './commands.ts';
import { paletteGroups } from './palette-groups.ts';
import { FoundText } from '../../parts/text/found-text.tsx';
import { Search } from 'lucide-react';
import { isMac, shortcutLabel } from './shortcuts.ts';
import { useDeferredValue, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useSearch, useSessions } from '../../data/sessions.ts';
import type { Early } from './early-keys.tsx';
import type { PaletteGroup, PaletteItem } from './palette-groups.ts';

interface PaletteProps {
  readonly early: Early;
  /** Its field has the focus. */
  readonly onThere: () => void;
  readonly onClose: () => void;
}

/** One field for all: what can be done here, sessions by their titles, and what was said in any of them. */
export function Palette({ early, onThere, onClose }: PaletteProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Popup
          aria-label="Find or do"
          finalFocus={() => (early.focused instanceof HTMLElement ? early.focused : true)}
          className="fixed top-[8vh] left-1/2 z-50 flex max-h-[75vh] w-[calc(100vw-1.5rem)] max-w-xl -translate-x-1/2 flex-col rounded-xl border border-line bg-ground-raised shadow-xl"
        >
          <Finder early={early} onThere={onThere} onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ early, onThere, onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus({ preventScroll: true });
    setText(early.text);
    onThere();
  }, []);
  const [, navigate] = useLocation();
  const sessions = useSessions();
  // A search for each letter would be one too many.
  const found = useSearch(useDeferredValue(text));
  const groups = paletteGroups(text, {
    commands: offeredCommands(),
    sessions: sessions.state === 'ready' ? sessions.value.sessions : [],
    found: found.state === 'ready' ? found.value : [],
  });
  const choose = (item: PaletteItem): void => {
    onClose();
    // When the window is gone the focus is where it was: what is done now may move it.
    setTimeout(() => (item.type === 'command' ? item.command.run() : navigate(item.href)));
  };
  return (
    <Autocomplete.Root
      open
      inline
      mode="none"
      items={groups}
      value={text}
      onValueChange={setText}
      autoHighlight="always"
      keepHighlight
      itemToStringValue={({ label }: PaletteItem) => label}
    >
      <div className="flex items-center gap-2 border-b border-line px-4">
        <Search size={16} aria-hidden className="text-ink-faint" />
        <Autocomplete.Input
          ref={field}
          aria-label="Find a session, a text or something to do"
          placeholder="Find a session, a text or something to do"
          dir="auto"
          className="min-w-0 flex-1 bg-transparent py-3 outline-none"
        />
      </div>
      <Autocomplete.List className="min-h-0 flex-1 overflow-y-auto p-2 empty:p-0" aria-label="Found">
        {(group: PaletteGroup) => <GroupView key={group.value} group={group} onChoose={choose} />}
      </Autocomplete.List>
      <Autocomplete.Empty className="px-4 text-center text-sm text-ink-soft">
        <p className="py-6">{found.state === 'loading' ? 'Looking …' : `Nothing says “${text.trim()}”.`}</p>
      </Autocomplete.Empty>
    </Autocomplete.Root>
  );
}

interface GroupViewProps {
  readonly group: PaletteGroup;
  readonly onChoose: (item: PaletteItem) => void;
}

function GroupView({ group, onChoose }: GroupViewProps) {
  return (
    <Autocomplete.Group items={group.items} className="pb-2">
      <Autocomplete.GroupLabel className="px-2 py-1 text-xs font-semibold text-ink-faint">
        {group.value}
      </Autocomplete.GroupLabel>
      <Autocomplete.Collection>
        {(item: PaletteItem) => (
          <Autocomplete.Item
            key={item.key}
            value={item}
            onClick={() => onChoose(item)}
            className="flex cursor-default items-center gap-3 rounded-md px-2 py-1.5 text-sm outline-none data-highlighted:bg-accent-soft"
          >
            <ItemView item={item} />
          </Autocomplete.Item>
        )}
      </Autocomplete.Collection>
    </Autocomplete.Group>
  );
}

function ItemView({ item }: { readonly item: PaletteItem }) {
  if (item.type === 'command') {
    const { label, shortcut } = item.command;
    return (
      <>
        <span className="min-w-0 flex-1 truncate">{label}</span>
        {shortcut && <kbd className="font-sans text-xs text-ink-faint">{shortcutLabel(shortcut, isMac)}</kbd>}
      </>
    );
  }
  return (
    <>
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate">
          {item.label}
        </span>
        {item.found && <FoundText {...item.found} />}
      </span>
      {item.atMs !== undefined && <span className="text-xs text-ink-faint">{formatTime(item.atMs)}</span>}
    </>
  );
}
