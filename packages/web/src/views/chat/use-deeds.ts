import { toast, toastFailure } from '../../parts/popups/toast.ts';
import { useLocation } from 'wouter';
import { useMemo } from 'react';
import { useSessionActions } from '../../data/sessions.ts';
import type { MessageDeeds } from '../message/message-actions.tsx';

/** What the actions of a message do. `edit` only says which message is edited: the transcript shows an editor in its place. */
export function useDeeds(sessionId: string, onEdit: MessageDeeds['edit']): MessageDeeds {
  const { fork, pin } = useSessionActions();
  const [, navigate] = useLocation();
  return useMemo(
    () => ({
      edit: onEdit,
      fork: ({ ordinal }) =>
        void toastFailure('The session could not be forked', async () => {
          navigate(`/sessions/${(await fork(sessionId, ordinal)).id}`);
          toast('This is the fork: what is said here is not said there.');
        }),
      pin: ({ ordinal }, isPinned) =>
        void toastFailure('The pin could not be changed', () => pin(sessionId, ordinal, isPinned)),
      inspect: ({ ordinal }) => navigate(`/sessions/${sessionId}/inspector/m${ordinal}`),
    }),
    [fork, navigate, onEdit, pin, sessionId],
  );
}
