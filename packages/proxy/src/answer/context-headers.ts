import type { Managed } from '../manage/managed.ts';

/** Why nothing was done to the context of a request. */
export type Untouched = 'off' | 'not-understood' | 'server-held' | 'failed';

/** What was done to the context, as headers of the answer. */
export function contextHeaders(done: Managed | Untouched): Readonly<Record<string, string>> {
  if (typeof done === 'string') return { 'x-context-action': done };
  const { action, step, snapshot, limits, maxTokens } = done;
  const { tokens } = step.report;
  return {
    'x-context-action': action,
    'x-context-tokens-before': String(tokens.before),
    'x-context-tokens-after': String(tokens.final),
    'x-context-window': String(limits.window.tokens),
    ...(snapshot.state.head !== null && { 'x-context-checkpoint': snapshot.state.head }),
    ...(maxTokens !== undefined && { 'x-context-max-tokens': String(maxTokens) }),
  };
}
