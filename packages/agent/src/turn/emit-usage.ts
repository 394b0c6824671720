import { newEvent } from '../events/agent-event.ts';
import { leastPauseMs, shouldEmitUsage } from '../usage/should-emit-usage.ts';
import type { ContextUsage } from '../events/agent-event.ts';
import type { RunContext } from './run-context.ts';

// Of English text and code; what was really used is told at the end of the step.
const charactersPerToken = 4;

/** Tells how full the context is, after a step or a change of the view. */
export function emitUsage({ context, writer, runId }: RunContext): void {
  writer.add({ type: 'event', event: newEvent('context:usage', context.usage(), { runId }) });
}

/** Tells how the context fills while an answer is being written, at most four times a second. */
export function createUsageEmitter({ context, writer, options, runId }: RunContext): {
  readonly emit: (saidCharacters: number) => void;
} {
  let before: ContextUsage | null = null;
  let lastEmittedAtMs = options.clock.nowMs();
  let lastLookedAtMs = lastEmittedAtMs;
  return {
    emit(saidCharacters) {
      const nowMs = options.clock.nowMs();
      // Looking costs more than a piece of text: no more often than it could be told.
      if (Math.abs(nowMs - lastLookedAtMs) < leastPauseMs) return;
      lastLookedAtMs = nowMs;
      const now = context.usage({ assistant: Math.ceil(saidCharacters / charactersPerToken) });
      before ??= now;
      if (!shouldEmitUsage(before, now, { lastEmittedAtMs, nowMs })) return;
      before = now;
      lastEmittedAtMs = nowMs;
      writer.add({ type: 'event', event: newEvent('context:usage', now, { runId }) });
    },
  };
}
