import type { ModelEvent, ModelFailure, StepError } from '@throughline/ports';

/** Nobody has seen anything of the answer yet; an `end` is one, and so is seen. */
const unseen: ReadonlySet<ModelEvent['type']> = new Set([
  'response-start',
  'text-start',
  'text-end',
  'reasoning-start',
  'reasoning-end',
]);
/** Told at once, and no part of the answer. */
const aside: ReadonlySet<ModelEvent['type']> = new Set(['retry', 'warning']);

/** Whether somebody who follows the stream has seen something of the answer by this event. */
export function isSeen({ type }: ModelEvent): boolean {
  return type !== 'error' && !aside.has(type) && !unseen.has(type);
}

const mostHeld = 1_000;

/**
 * Passes a stream on, with what shows nothing held back until something shows. Where the stream fails before that, and
 * `canRepeat` says so, what was held back is thrown away and the failure returned: the step can begin anew and nobody
 * has seen that it did.
 */
export async function* untilSeen(
  events: AsyncIterable<ModelEvent>,
  canRepeat: (failure: ModelFailure) => boolean,
): AsyncGenerator<ModelEvent, StepError | undefined, undefined> {
  const held: ModelEvent[] = [];
  let isSeen = false;
  for await (const event of events) {
    if (event.type === 'error' && !isSeen && canRepeat(event.failure)) return event;
    if (isSeen || aside.has(event.type)) yield event;
    else if (unseen.has(event.type) && held.length < mostHeld) held.push(event);
    else {
      isSeen = true;
      yield* held;
      yield event;
    }
  }
  return undefined;
}
