import { untilAborted } from '../tools/until-aborted.ts';
import type { ModelEvent, ModelFailure } from '@throughline/ports';

/** What a driver that listens needs to say how it ended; one that does not is left behind. */
const graceMs = 50;

const deaf = Symbol('deaf');
const cancelled: ModelFailure = { kind: 'cancelled', message: 'cancelled', recoverable: false };

/** The events of a step; ends as cancelled soon after the signal is aborted, also where the driver does not listen. */
export async function* endedBy(
  signal: AbortSignal,
  stream: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, void, undefined> {
  const events = stream[Symbol.asyncIterator]();
  let isDeaf = false;
  try {
    for (;;) {
      const next = await untilAborted<IteratorResult<ModelEvent> | typeof deaf>(
        events.next(),
        signal,
        () => deaf,
        graceMs,
      );
      if (next === deaf) {
        isDeaf = true;
        yield { type: 'error', failure: cancelled, messages: [] };
        return;
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    const returned = events.return?.().catch(() => undefined);
    // One that does not listen does not return either.
    if (!isDeaf) await returned;
  }
}
