import { Copy, GitFork, MoreHorizontal, Pencil, Pin, PinOff, ScanSearch } from 'lucide-react';
import { copyText } from '../../parts/text/copy-button.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Menu } from '../../parts/popups/menu.tsx';
import type { HistoryMessage } from '../../data/types.ts';
import type { MenuEntry } from '../../parts/popups/menu-popup.tsx';

/** What can be done with a message. */
export interface MessageDeeds {
  readonly edit: (message: HistoryMessage) => void;
  readonly fork: (message: HistoryMessage) => void;
  readonly pin: (message: HistoryMessage, isPinned: boolean) => void;
  readonly inspect: (message: HistoryMessage) => void;
}

interface MessageActionsProps {
  readonly message: HistoryMessage;
  readonly isPinned: boolean;
  readonly deeds: MessageDeeds;
}

export function MessageActions({ message, isPinned, deeds }: MessageActionsProps) {
  const icon = { size: 15, 'aria-hidden': true };
  const edit: MenuEntry = {
    label: 'Say it in other words',
    icon: <Pencil {...icon} />,
    onSelect: () => deeds.edit(message),
  };
  const entries: readonly MenuEntry[] = [
    ...(message.role === 'user' ? [edit] : []),
    { label: 'Copy', icon: <Copy {...icon} />, onSelect: () => void copyText(saidText(message)) },
    { label: 'Fork from here', icon: <GitFork {...icon} />, onSelect: () => deeds.fork(message) },
    isPinned
      ? { label: 'Take the pin away', icon: <PinOff {...icon} />, onSelect: () => deeds.pin(message, false) }
      : { label: 'Pin: never compact it', icon: <Pin {...icon} />, onSelect: () => deeds.pin(message, true) },
    {
      label: 'Show in the inspector',
      icon: <ScanSearch {...icon} />,
      onSelect: () => deeds.inspect(message),
    },
  ];
  return (
    <Menu
      trigger={
        <IconButton
          label={`Actions for message ${message.ordinal + 1}`}
          isSmall
          className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-md:opacity-100"
        >
          <MoreHorizontal size={15} aria-hidden />
        </IconButton>
      }
      entries={entries}
    />
  );
}

/** All that it says, as text. */
export function saidText({ parts }: Pick<HistoryMessage, 'parts'>): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
