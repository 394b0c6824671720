import { compareUsage } from '../inspect/compare-usage.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { Replayed } from './replayed.ts';

/** What the requests of a session held that its file does not hold, and how much that was. */
export function notInLog(
  { session, transcript }: OpenedSession,
  windowTokens: number,
  isWhole: boolean,
): Replayed['notInLog'] {
  const { holdsWholePrompt, system, tools } = session;
  if (holdsWholePrompt) return { what: [], tokens: null };
  const { entries } = transcript.conversation;
  const hasSystem = system !== undefined || entries.at(0)?.role === 'system';
  const what = [
    ...(hasSystem ? [] : ['system prompt' as const]),
    ...(tools === undefined ? ['tools' as const] : []),
  ];
  // All branches and archived parts together are no request that was ever counted.
  const tokens = isWhole ? 0 : (compareUsage(transcript, session, windowTokens)?.notInLogTokens ?? 0);
  return { what, tokens: tokens > 0 ? tokens : null };
}
