import { queuePart, UiMessage } from './ui-message.ts';
import type { AnswerStep } from '../follow/follow-answer.ts';
import type { UiChunk } from './ui-chunk.ts';

interface WriteOptions {
  readonly id: string;
  readonly sessionId: string;
  readonly head: readonly UiChunk[];
  /** What came up to this number is left out: the client has it. */
  readonly after: number;
}

/** Several calls that ask the user do so within a moment: they are shown together. */
const settleMs = 100;

/** An answer as parts of the stream, to its end, or until it waits for the user. */
export async function* writeUiMessage(
  steps: AsyncIterable<AnswerStep>,
  { id, sessionId, head, after }: WriteOptions,
): AsyncGenerator<UiChunk, void, undefined> {
  const message = new UiMessage({ id, sessionId });
  yield message.begin();
  yield* head;
  let isQueued = head.length > 0;
  const iterator = steps[Symbol.asyncIterator]();
  let next = iterator.next();
  for (;;) {
    if (message.isWaiting && (await isSilent(next))) {
      yield* message.pause();
      return;
    }
    const { value: step, done } = await next;
    if (done === true) return;
    if (step.type === 'end') {
      yield* message.end(step.end);
      return;
    }
    next = iterator.next();
    if (isQueued) yield queuePart({ state: 'taken' });
    isQueued = false;
    const chunks = message.take(step.event);
    if (step.event.seq > after) yield* chunks;
  }
}

/** Whether nothing comes for a moment. */
async function isSilent(next: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(true), settleMs);
  const isNews = next.then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([promise, isNews]);
  } finally {
    clearTimeout(timer);
  }
}
