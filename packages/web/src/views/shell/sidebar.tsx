import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/popups/dialog.tsx';
import { Empty, FailureNotice, Loading } from '../../parts/notice.tsx';
import { Plus, Search, Upload, X } from 'lucide-react';
import { SearchHits } from './search-hits.tsx';
import { SessionRow } from './session-row.tsx';
import { sessionTitle } from '../../parts/format.ts';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useLocation, useRoute } from 'wouter';
import { useRef, useState } from 'react';
import { useSessionActions, useSessions } from '../../data/sessions.ts';
import { useSessionDeeds } from './use-session-deeds.ts';
import type { Session } from '../../data/sessions.ts';

/** Sessions, searched, made, renamed, forked, exported and deleted. */
export function Sidebar() {
  const [text, setText] = useState('');
  const [renamed, setRenamed] = useState<Session | null>(null);
  const [deleted, setDeleted] = useState<Session | null>(null);
  const { create, importFile } = useSessionDeeds();
  const file = useRef<HTMLInputElement>(null);
  return (
    <div className="flex h-full flex-col gap-2 p-2">
      <div className="flex gap-1">
        <Button look="primary" className="flex-1" onClick={create}>
          <Plus size={16} aria-hidden /> New session
        </Button>
        <IconButton label="Import a recorded session" onClick={() => file.current?.click()}>
          <Upload size={16} aria-hidden />
        </IconButton>
        <input
          ref={file}
          type="file"
          hidden
          aria-label="File of a recorded session"
          onChange={({ target }) => {
            const [chosen] = target.files ?? [];
            if (chosen) importFile(chosen);
            target.value = '';
          }}
        />
      </div>
      <SearchField text={text} onText={setText} />
      <nav aria-label="Sessions" className="min-h-0 flex-1 overflow-y-auto">
        {text.trim().length > 1 ? (
          <SearchHits text={text} />
        ) : (
          <SessionList onRename={setRenamed} onDelete={setDeleted} />
        )}
      </nav>
      {renamed && <RenameDialog session={renamed} onClose={() => setRenamed(null)} />}
      {deleted && <DeleteDialog session={deleted} onClose={() => setDeleted(null)} />}
    </div>
  );
}

function SearchField({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const clear = (): void => {
    onText('');
    field.current?.focus();
  };
  return (
    <div className="flex items-center gap-2 rounded-lg border border-line bg-ground px-2 focus-within:border-accent has-[input:focus-visible]:ring-1 has-[input:focus-visible]:ring-accent">
      <Search size={15} aria-hidden className="text-ink-faint" />
      <input
        ref={field}
        aria-label="Search in all sessions"
        placeholder="Search in all sessions"
        value={text}
        onChange={({ target }) => onText(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && onText('')}
        className="min-w-0 flex-1 bg-transparent py-1.5 text-sm outline-none"
      />
      {text !== '' && (
        <IconButton label="Clear the search" isSmall onClick={clear}>
          <X size={14} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}

interface SessionListProps {
  readonly onRename: (session: Session) => void;
  readonly onDelete: (session: Session) => void;
}

function SessionList({ onRename, onDelete }: SessionListProps) {
  const list = useSessions();
  const [, params] = useRoute('/sessions/:id/*?');
  const { fork, exportLines } = useSessionDeeds();
  if (list.state === 'loading') return <Loading what="sessions" />;
  if (list.state === 'failed') return <FailureNotice failure={list.failure} />;
  const { sessions, hasMore, loadMore } = list.value;
  if (sessions.length === 0)
    return <Empty title="No sessions yet">What you talk about is listed here.</Empty>;
  return (
    <>
      <ul className="flex flex-col gap-0.5">
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            isOpen={params?.['id'] === session.id}
            onRename={() => onRename(session)}
            onDelete={() => onDelete(session)}
            onFork={() => fork(session)}
            onExport={() => exportLines(session)}
          />
        ))}
      </ul>
      {hasMore && (
        <Button look="ghost" className="mt-1 w-full" onClick={loadMore}>
          Older sessions
        </Button>
      )}
    </>
  );
}

interface SessionDialogProps {
  readonly session: Session;
  readonly onClose: () => void;
}

function RenameDialog({ session, onClose }: SessionDialogProps) {
  const [title, setTitle] = useState(session.title ?? '');
  const { rename } = useSessionActions();
  const save = async (): Promise<void> => {
    if (await toastFailure('The session could not be renamed', () => rename(session.id, title.trim())))
      onClose();
  };
  return (
    <Dialog isOpen onClose={onClose} title="Rename the session">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label className="flex flex-col gap-1 text-sm font-medium">
          Title
          <input
            dir="auto"
            value={title}
            onChange={({ target }) => setTitle(target.value)}
            className="rounded-lg border border-line-strong bg-ground px-3 py-2"
          />
        </label>
        <Button type="submit" look="primary" disabled={title.trim() === ''}>
          Rename
        </Button>
      </form>
    </Dialog>
  );
}

function DeleteDialog({ session, onClose }: SessionDialogProps) {
  const { remove } = useSessionActions();
  const [location, navigate] = useLocation();
  const confirm = async (): Promise<void> => {
    if (!(await toastFailure('The session could not be deleted', () => remove(session.id)))) return;
    onClose();
    if (location.startsWith(`/sessions/${session.id}`)) navigate('/');
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Delete this session?"
      about={`“${sessionTitle(session)}” is gone for good.`}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button look="danger" onClick={() => void confirm()}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
