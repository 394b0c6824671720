import type { Json } from '@throughline/core/codec';
import type { NewEvent } from '@throughline/ports';
import type { AgentEvents, AgentEventType } from '@throughline/protocol/types';

/** An event to be stored. */
export function newEvent<Type extends AgentEventType>(
  type: Type,
  data: AgentEvents[Type],
  more: Omit<NewEvent, 'type' | 'data'> = {},
): NewEvent {
  // All data of events is plain JSON; interfaces have no index signature, so the compiler cannot see it.
  return { type, data: data as unknown as Json, ...more };
}
