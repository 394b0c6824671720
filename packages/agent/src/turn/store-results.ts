import { newEvent } from '../events/agent-event.ts';
import { keepMedia } from '../media/session-media.ts';
import { emittedContent } from './emitted-content.ts';
import type { SessionMessage } from '@throughline/core';
import type { CallResult } from '../tools/tool.ts';
import type { RunContext } from './run-context.ts';

export interface StoredResult {
  /** Of several that are stored at the same time the history has this order. */
  readonly ordinal: number;
  /** As it is sent, its media in it. */
  readonly message: SessionMessage;
}

/** Stores one result as a message of its own and tells it. */
export async function storeResult(
  { options: { store, ids }, context, writer, sessionId, runId }: RunContext,
  result: CallResult,
): Promise<StoredResult> {
  const { callId, name, truncated, sanitized, isCancelled, durationMs, data } = result;
  const content = await keepMedia(result.content, (bytes) => store.attachments.keep(sessionId, bytes));
  const isError = result.state === 'error';
  const id = ids.nextId('message');
  const part = { type: 'result', callId, name, ...(isError ? { isError } : {}) } as const;
  const message: SessionMessage = { id, role: 'tool', parts: [{ ...part, content }] };
  const { messages } = await writer.commit(
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
          content: emittedContent(content),
          messageId: id,
          isCancelled,
          durationMs,
          ...(data === undefined ? {} : { rawResult: data }),
        },
        { runId, ends: outputKey(callId) },
      ),
    },
  );
  // What is sent now is what will be sent after a restart, to the byte.
  const ordinal = messages.find((stored) => stored.id === id)?.ordinal ?? 0;
  return { ordinal, message: await context.hydrate(message) };
}

/** Names the live output of one call in the journal. */
export function outputKey(callId: string): string {
  return `output:${callId}`;
}
