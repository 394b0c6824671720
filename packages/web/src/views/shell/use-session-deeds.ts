import { sessionTitle } from '../../parts/format.ts';
import { toast, toastFailure } from '../../parts/popups/toast.ts';
import { useLocation } from 'wouter';
import { useMemo } from 'react';
import { useSessionActions } from '../../data/sessions.ts';
import type { Session } from '../../data/sessions.ts';

/** What a click on a session's entries does, wherever they stand; what goes wrong is said. */
interface SessionDeeds {
  /** Begins one, and goes there. */
  readonly create: () => void;
  readonly fork: (session: Session) => void;
  readonly exportLines: (session: Session) => void;
  /** Makes a session of a recording, and goes there. */
  readonly importFile: (file: File) => void;
}

export function useSessionDeeds(): SessionDeeds {
  const { create, fork, exportLines, importFile } = useSessionActions();
  const [, navigate] = useLocation();
  return useMemo(() => {
    const open = ({ id }: Session): void => navigate(`/sessions/${id}`);
    return {
      create: () => void toastFailure('No session could be made', async () => open(await create())),
      fork: ({ id }) =>
        void toastFailure('The session could not be forked', async () => {
          open(await fork(id));
          toast('This is the fork: what is said here is not said there.');
        }),
      exportLines: (session) =>
        void toastFailure('The session could not be exported', async () =>
          saveFile(`${sessionTitle(session)}.jsonl`, await exportLines(session.id)),
        ),
      importFile: (file) =>
        void toastFailure('The file could not be read', async () => open(await importFile(file))),
    };
  }, [create, exportLines, fork, importFile, navigate]);
}

/** Hands a file to the browser, which saves it where the user saves files. */
function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\p{L}\p{N}._ -]+/gu, '-').slice(0, 80);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
