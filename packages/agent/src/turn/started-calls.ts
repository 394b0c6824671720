import type { Json } from '@throughline/core';
import type { RunWrite, SessionStore } from '@throughline/ports';

/** Calls of one answer that may have had an effect, whether or not they have a result. */
export interface StartedCalls {
  readonly messageId: string;
  readonly callIds: readonly string[];
}

const name = 'started-calls';

export function startedWrite({ messageId, callIds }: StartedCalls): RunWrite {
  return { type: 'value', name, value: { messageId, callIds } };
}

/** Calls of this answer that were started; empty where none was, or where another answer's were the last. */
export async function readStarted(
  store: SessionStore,
  sessionId: string,
  messageId: string,
): Promise<ReadonlySet<string>> {
  const value: Json = await store.value(sessionId, name);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Set();
  const { messageId: of, callIds } = value as { readonly [key: string]: Json };
  if (of !== messageId || !Array.isArray(callIds)) return new Set();
  return new Set(callIds.filter((callId) => typeof callId === 'string'));
}
