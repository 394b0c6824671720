import { advanceBackground } from '@throughline/core';
import { askDriver } from './ask-driver.ts';
import type { Answer, ContextState, Policy, Transcript, WrittenSummary } from '@throughline/core';
import type { BackgroundJob } from '@throughline/core/types';
import type { Driver } from './model-driver.ts';

/** What a job is written from: the step that offered it. */
export interface BackgroundSource {
  readonly transcript: Transcript;
  readonly state: ContextState;
  readonly policy: Policy;
}

/** Who writes the summaries of a session ahead of need. */
export interface BackgroundSummaryOptions {
  /** Asked for the prose. Where it fails code writes the summary, as in a step. */
  readonly driver: Driver;
}

/** The background summary of one session: none, one that is being written, or one that lies ready. Never two. */
export interface BackgroundSummary extends Disposable {
  /** The summary that lies ready. */
  readonly written: WrittenSummary | undefined;
  readonly isWriting: boolean;
  /** Begins a job; does nothing while there is one, being written or ready. */
  start(source: BackgroundSource, job: BackgroundJob): void;
  /** Resolves when nothing is being written any more, or when the signal is aborted. Never rejects. */
  settled(signal?: AbortSignal): Promise<void>;
  /** Forgets the summary that lies ready, and stops one that is being written: it was used, or is about another history. */
  drop(): void;
}

/** A background summary for one session. Dispose of it with the session: what is being written is cancelled. */
export function createBackgroundSummary(options: BackgroundSummaryOptions): BackgroundSummary {
  let written: WrittenSummary | undefined;
  let writing: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;

  const begin = (source: BackgroundSource, job: BackgroundJob): void => {
    const controller = new AbortController();
    const end = (result?: WrittenSummary): void => {
      // A job that was dropped meanwhile has nothing to say any more.
      if (controller.signal.aborted) return;
      written = result;
      writing = undefined;
    };
    // What cannot be done ahead of need fails again, and visibly, when it is needed.
    const done = write(source, job, { options, signal: controller.signal }).then(end, () => end());
    writing = { controller, done };
  };
  const drop = (): void => {
    writing?.controller.abort();
    writing = undefined;
    written = undefined;
  };
  return {
    get written() {
      return written;
    },
    get isWriting() {
      return writing !== undefined;
    },
    start(source, job) {
      if (!writing && !written) begin(source, job);
    },
    async settled(signal) {
      if (!writing || signal?.aborted === true) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const onAbort = (): void => resolve();
      signal?.addEventListener('abort', onAbort, { once: true });
      await Promise.race([writing.done, promise]);
      signal?.removeEventListener('abort', onAbort);
    },
    drop,
    [Symbol.dispose]: drop,
  };
}

interface Writing {
  readonly options: BackgroundSummaryOptions;
  readonly signal: AbortSignal;
}

/** Asks until the summary is written; `undefined` when it was cancelled, or could not be made of this history. */
async function write(
  source: BackgroundSource,
  first: BackgroundJob,
  { options, signal }: Writing,
): Promise<WrittenSummary | undefined> {
  let job = first;
  let answer: Answer | undefined;
  for (;;) {
    const step = advanceBackground(source, job, answer);
    if (step.type === 'written') return step.written;
    if (step.type === 'cancelled') return undefined;
    job = step.job;
    answer = await askDriver(options.driver, step.request, signal);
  }
}
