import { keepMedia } from '../media/keep-media.ts';
import { newEvent } from '../agent/new-event.ts';
import type { CallResult } from '../tools/execute-context.ts';
import type { RunScene } from './run-scene.ts';
import type { SessionMessage } from '@throughline/core';

/**
 * Stores one result as a message of its own and tells it. Resolves, when it is stored, to the message as it is sent,
 * its media in it.
 */
export async function storeResult(
  { options: { store, ids }, context, writer, sessionId, runId }: RunScene,
  result: CallResult,
): Promise<SessionMessage> {
  const { callId, name, truncated, sanitized, isCancelled, durationMs, data } = result;
  const content = await keepMedia(result.content, (bytes) => store.attachments.keep(sessionId, bytes));
  const isError = result.state === 'error';
  const id = ids.nextId('message');
  const part = { type: 'result', callId, name, ...(isError ? { isError } : {}) } as const;
  const message: SessionMessage = { id, role: 'tool', parts: [{ ...part, content }] };
  await writer.commit(
    {
      type: 'message',
      message,
      marks: [{ isTruncated: truncated }],
    },
    {
      type: 'event',
      event: newEvent(
        'llm:tool-result',
        {
          toolName: name,
          callId,
          success: !isError,
          truncated,
          sanitized,
          content,
          isCancelled,
          durationMs,
          ...(data === undefined ? {} : { rawResult: data }),
        },
        { runId, ends: outputKey(callId) },
      ),
    },
  );
  // What is sent now is what will be sent after a restart, to the byte.
  return await context.hydrate(message);
}

/** Names the live output of one call in the journal. */
export function outputKey(callId: string): string {
  return `output:${callId}`;
}
