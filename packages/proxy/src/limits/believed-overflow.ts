import type { Managed } from '../manage/context-manager.ts';
import type { OverflowSaid, ProxyServices } from '../options/proxy-options.ts';

/** A request that was refused, as far as it says what can be true of its refusal. */
export interface Refused {
  readonly readOverflow: ProxyServices['readOverflow'];
  readonly managed: Managed;
}

/**
 * A refusal without a word can be for anything. Cerebras says so little of a prompt that is too long, and many servers of
 * a parameter that they do not take: it counts only from this share of the window on. Of less the estimate would have to
 * be half of what is true.
 */
const nearShare = 0.5;

/** What a refusal says of the size of the request, as far as that can be true of what was sent. */
export function believedOverflow(
  error: unknown,
  { readOverflow, managed }: Refused,
): OverflowSaid | undefined {
  const said = readOverflow(error);
  if (said?.kind !== 'tokens') return said;
  return said.isSilent === true && !nearlyFills(managed) ? undefined : said;
}

function nearlyFills({ step, limits }: Managed): boolean {
  return step.report.tokens.final >= nearShare * limits.window.tokens;
}
