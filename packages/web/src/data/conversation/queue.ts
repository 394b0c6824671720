import { useMemo } from 'react';
import { contentAnew } from '../attached.ts';
import { usePageData } from '../page-data.tsx';
import type { ApprovalAnswer, WaitingMessage, WaitingPart } from '@throughline/client';

export interface QueueActions {
  /** Its words only: what is attached stays. */
  readonly edit: (message: WaitingMessage, text: string) => Promise<unknown>;
  /** 1 is the next. */
  readonly move: (id: string, position: number) => Promise<unknown>;
  readonly remove: (id: string) => Promise<unknown>;
  readonly sendNow: (id: string) => Promise<unknown>;
  readonly clear: () => Promise<unknown>;
  readonly answer: (approvalId: string, answer: ApprovalAnswer) => Promise<unknown>;
}

/** What is done with messages and questions that wait. The server's list is the only truth: fetch it again after each. */
export function useQueueActions(sessionId: string): QueueActions {
  const { client } = usePageData();
  return useMemo(
    () => ({
      async edit({ id, parts }, text) {
        const attached = parts.filter(isMedia).map(({ url, ...media }) => ({
          ...media,
          source: { type: 'url', url } as const,
        }));
        const content = await contentAnew(client, sessionId, { text, attached });
        return await client.changeWaiting({ id, sessionId, content });
      },
      move: (id, position) => client.changeWaiting({ id, sessionId, position }),
      remove: (id) => client.removeWaiting({ id, sessionId }),
      sendNow: (id) => client.sendWaiting({ id, sessionId }),
      clear: () => client.clearQueue({ sessionId }),
      answer: (approvalId, answer) => client.answerApproval({ id: sessionId, approvalId, ...answer }),
    }),
    [client, sessionId],
  );
}

type Media = Extract<WaitingPart, { readonly type: 'media' }>;

function isMedia(part: WaitingPart): part is Media {
  return part.type === 'media';
}
