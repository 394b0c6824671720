import { countOf, formatNumber, formatPercent } from '../terminal/numbers.ts';
import type { Inspection } from './inspection.ts';
import type { Page } from '../terminal/page.ts';

/** What the provider counted, beside the estimate. */
export function printUsage({ usage }: Inspection, page: Page): void {
  if (!usage) return;
  const { calls, last, before, after, calibratedOn, holdsWholePrompt, notInLogTokens } = usage;
  page.section(`What the provider counted, in ${countOf(calls, 'call')}`);
  const cached =
    last.cacheReadTokens > 0 ? `, ${formatNumber(last.cacheReadTokens)} of it from the cache` : '';
  page.field('last prompt', `${formatNumber(last.recordedTokens)}${cached}`);
  page.field(
    'estimate of it',
    `${formatNumber(last.estimatedTokens)}; calibrated on the calls before it ${formatNumber(last.calibratedTokens)}`,
  );
  if (before)
    page.field('error, estimate', `p50 ${formatPercent(before.p50)}, p90 ${formatPercent(before.p90)}`);
  if (after) {
    page.field(
      'error, calibrated',
      `p50 ${formatPercent(after.p50)}, p90 ${formatPercent(after.p90)} in the ${countOf(after.calls, 'call')} after the first ${calibratedOn}`,
    );
  }
  if (holdsWholePrompt) return;
  const amount = notInLogTokens > 0 ? ` (≈ ${formatNumber(notInLogTokens)} tokens of each prompt)` : '';
  page.field(
    'not in the log',
    `the system prompt and the tools${amount}: no estimate here counts them`,
    page.style.warning,
  );
}
