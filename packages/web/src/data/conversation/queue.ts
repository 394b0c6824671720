import { useMemo } from 'react';
import { blobHash } from '../session/session-parts.ts';
import { usePageData } from '../page-data.tsx';
import type { ApprovalAnswer, Client, UserPart, WaitingMessage, WaitingPart } from '@throughline/client';

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
        const attached = await Promise.all(
          parts.filter(isMedia).map((part) => attachedPart(client, sessionId, part)),
        );
        const content = attached.length === 0 ? text : [{ type: 'text' as const, text }, ...attached];
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

/** An image or a file that waits, as it was sent: a message that is changed is sent anew. */
async function attachedPart(client: Client, sessionId: string, media: Media): Promise<UserPart> {
  const { mediaType, url, filename } = media;
  const bytes = await client.getBlob({ id: sessionId, hash: blobHash(url) ?? '' });
  const type = mediaType.startsWith('image/') ? 'image' : 'file';
  return { type, data: base64(bytes), mediaType, ...(filename !== undefined && { filename }) };
}

const chunkBytes = 0x80_00;

function base64(bytes: Uint8Array): string {
  let text = '';
  // All at once would be more arguments than a call may have.
  for (let at = 0; at < bytes.length; at += chunkBytes)
    text += String.fromCodePoint(...bytes.subarray(at, at + chunkBytes));
  return btoa(text);
}
