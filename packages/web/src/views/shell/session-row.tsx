import { clsx } from 'clsx';
import { Download, GitFork, Layers, MoreHorizontal, Pencil, Trash2 } from 'lucide-react';
import { formatTime, sessionTitle } from '../../parts/format.ts';
import { IconButton } from '../../parts/button.tsx';
import { Link } from 'wouter';
import { Menu } from '../../parts/popups/menu.tsx';
import type { Session } from '../../data/sessions.ts';

interface SessionRowProps {
  readonly session: Session;
  readonly isOpen: boolean;
  readonly onRename: () => void;
  readonly onFork: () => void;
  readonly onExport: () => void;
  readonly onDelete: () => void;
}

const statusWords: Readonly<Record<Session['status'], string>> = {
  idle: '',
  running: 'working',
  compacting: 'compacting',
  waiting: 'waits for you',
};

export function SessionRow({ session, isOpen, onRename, onFork, onExport, onDelete }: SessionRowProps) {
  const { status, compactionCount, updatedAtMs } = session;
  const title = sessionTitle(session);
  const icon = { size: 15, 'aria-hidden': true };
  return (
    <li
      className={clsx(
        'group flex items-center rounded-lg pr-1',
        isOpen ? 'bg-accent-soft' : 'hover:bg-ground-strong',
      )}
    >
      <Link
        href={`/sessions/${session.id}`}
        aria-current={isOpen ? 'page' : undefined}
        className="min-w-0 flex-1 rounded-lg px-2 py-1.5"
      >
        <span dir="auto" className="block truncate text-sm font-medium">
          {title}
        </span>
        <span className="flex items-center gap-2 text-xs text-ink-faint">
          <span>{formatTime(updatedAtMs)}</span>
          {compactionCount > 0 && (
            <span className="inline-flex items-center gap-0.5" title={`${compactionCount} compactions`}>
              <Layers size={12} aria-hidden />
              {compactionCount}
              <span className="sr-only"> compactions</span>
            </span>
          )}
          {status !== 'idle' && <span className="text-accent">{statusWords[status]}</span>}
        </span>
      </Link>
      <Menu
        trigger={
          <IconButton label={`More for ${title}`} isSmall>
            <MoreHorizontal {...icon} />
          </IconButton>
        }
        entries={[
          { label: 'Rename', icon: <Pencil {...icon} />, onSelect: onRename },
          { label: 'Fork', icon: <GitFork {...icon} />, onSelect: onFork },
          { label: 'Export', icon: <Download {...icon} />, onSelect: onExport },
          { label: 'Delete', icon: <Trash2 {...icon} />, isDanger: true, onSelect: onDelete },
        ]}
      />
    </li>
  );
}
