import type { Sent } from '@throughline/agent';
import type * as wire from '@throughline/protocol/types';

/** What became of a message. */
export function encodeSent(sent: Sent, sessionId: string): wire.SendMessageAnswer {
  const shared = { ok: true, sessionId, messageId: sent.id } as const;
  if (!sent.isQueued) return { ...shared, queued: false, runId: sent.runId };
  const { position } = sent;
  const place = position === 1 ? 'next' : `number ${position}`;
  return {
    ...shared,
    queued: true,
    position,
    message: `The session is busy: the message waits, and is ${place}.`,
  };
}
