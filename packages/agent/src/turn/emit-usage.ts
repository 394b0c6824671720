import { newEvent } from '../events/new-event.ts';
import type { ContextUsage } from '@throughline/protocol/types';
import type { RunContext } from './run-context.ts';

// Of English text and code; what was really used is told at the end of the step.
const charactersPerToken = 4;

/** Tells how full the context is, after a step or a change of the view. */
export function emitUsage({ context, writer, runId }: RunContext): void {
  writer.add({ type: 'event', event: newEvent('context:usage', context.usage(), { runId }) });
}

/** Tells how the context fills while an answer is being written: at most four times a second, and where it has changed. */
export function createUsageEmitter({ context, writer, options, runId }: RunContext): {
  readonly emit: (saidCharacters: number) => void;
} {
  let before: ContextUsage | undefined;
  let lastLookedAtMs = options.clock.nowMs();
  return {
    emit(saidCharacters) {
      const nowMs = options.clock.nowMs();
      // Looking costs more than a piece of text. A clock that was set back must not keep the meter still.
      if (Math.abs(nowMs - lastLookedAtMs) < leastPauseMs) return;
      lastLookedAtMs = nowMs;
      const now = context.usage({ assistant: Math.ceil(saidCharacters / charactersPerToken) });
      if (before && hasChanged(before, now))
        writer.add({ type: 'event', event: newEvent('context:usage', now, { runId }) });
      before = now;
    },
  };
}

/** Four times a second. */
const leastPauseMs = 250;

/** What the rest of it follows from. */
const told = [
  'currentTokens',
  'limit',
  'windowTokens',
  'triggerTokens',
  'estimated',
] as const satisfies readonly (keyof ContextUsage)[];

function hasChanged(before: ContextUsage, now: ContextUsage): boolean {
  return told.some((field) => before[field] !== now[field]);
}

interface BudgetNoteOptions {
  /** The context is compacted without being asked. */
  readonly isAutomatic: boolean;
}

/**
 * What the model is told of its room, as a note behind the messages: it stands in no history, so that nothing repeats
 * it. One line in the third person that asks for nothing, and says that the user did not write it. Numbers are rounded
 * down to about a twentieth of the context: the text changes only where that matters.
 */
export function budgetNote(usage: ContextUsage, { isAutomatic }: BudgetNoteOptions): string {
  const { currentTokens, limit, triggerTokens } = usage;
  const step = stepOf(limit);
  const whole = inShort(Math.max(step, down(limit, step)));
  const free = down(limit - currentTokens, step);
  const room = `${free > 0 ? `about ${inShort(free)}` : `less than ${inShort(step)}`} of ${whole}`;
  const comes = isAutomatic ? ` ${whenCompacted(triggerTokens - currentTokens, step)}` : '';
  return `[Automatic status, not written by the user: ${room} tokens of context are free.${comes}]`;
}

function whenCompacted(leftTokens: number, step: number): string {
  if (leftTokens <= 0) return 'Older messages are condensed before the next step.';
  const left = down(leftTokens, step);
  return left > 0
    ? `Older messages are condensed after about ${inShort(left)} more.`
    : `Older messages are condensed within the next ${inShort(step)}.`;
}

/** 1, 2 or 5 with zeros, about a twentieth of the whole. */
function stepOf(tokens: number): number {
  const wanted = Math.max(1, tokens / 20);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * (wanted >= 5 * power ? 5 : wanted >= 2 * power ? 2 : 1);
}

function down(tokens: number, step: number): number {
  return Math.floor(tokens / step) * step;
}

function inShort(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${tokens / 1_000}k`;
}
