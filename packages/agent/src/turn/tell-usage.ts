import { newEvent } from '../agent/new-event.ts';
import { leastPauseMs, shouldTellUsage } from '../usage/should-tell-usage.ts';
import type { ContextUsage } from '../agent/context-usage.ts';
import type { RunScene } from './run-scene.ts';

// Of English text and code; what was really used is told at the end of the step.
const charactersPerToken = 4;

/** Tells how full the context is, after a step or a change of the view. */
export function tellUsage({ context, writer, runId }: RunScene): void {
  writer.add({ type: 'event', event: newEvent('context:usage', context.usage(), { runId }) });
}

/** Tells how the context fills while an answer is being written, at most four times a second. */
export function createUsageTeller({ context, writer, options, runId }: RunScene): {
  readonly tell: (saidCharacters: number) => void;
} {
  let before: ContextUsage | null = null;
  let lastToldAtMs = options.clock.nowMs();
  let lastLookedAtMs = lastToldAtMs;
  return {
    tell(saidCharacters) {
      const nowMs = options.clock.nowMs();
      // Looking costs more than a piece of text: no more often than it could be told.
      if (Math.abs(nowMs - lastLookedAtMs) < leastPauseMs) return;
      lastLookedAtMs = nowMs;
      const now = context.usage({ assistant: Math.ceil(saidCharacters / charactersPerToken) });
      before ??= now;
      if (!shouldTellUsage(before, now, { lastToldAtMs, nowMs })) return;
      before = now;
      lastToldAtMs = nowMs;
      writer.add({ type: 'event', event: newEvent('context:usage', now, { runId }) });
    },
  };
}
