import { isWithin, limitText } from './limit-text.ts';
import { sanitiseText } from './sanitise-text.ts';
import type { CallResult } from './execute-context.ts';
import type { ResultContent, ToolContext, ToolReply } from './tool.ts';

const defaultMaxChars = 120_000;
// A whole text beyond that is kept only up to there (`spec.md` E9).
const maxWholeChars = 64 * 1024 * 1024;

type Settled = Omit<CallResult, 'callId' | 'name' | 'isUnstarted' | 'durationMs'>;

/** The one place where a reply becomes a result: made storable, cut to the limits, its whole text kept. Never throws. */
export async function settleReply(reply: ToolReply, context: ToolContext): Promise<Settled> {
  const {
    content,
    isError = false,
    isCancelled = false,
    isTruncated = false,
    data,
  } = typeof reply === 'string' ? { content: reply } : reply;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const clean = parts.map(sanitisePart);
  const limited = await limitParts(clean, context);
  return {
    // What was ended before it was done is no success, whatever its tool makes of it.
    state: isError || isCancelled ? 'error' : 'completed',
    content: withoutEmpty(limited.parts),
    isCancelled,
    truncated: limited.truncated || isTruncated,
    sanitized: clean.some((part, index) => part !== parts[index]),
    ...(limited.wholeId === undefined ? {} : { wholeId: limited.wholeId }),
    ...(data === undefined ? {} : { data }),
  };
}

function sanitisePart(part: ResultContent): ResultContent {
  if (part.type !== 'text') return part;
  const text = sanitiseText(part.text);
  return text === part.text ? part : { ...part, text };
}

interface Limited {
  readonly parts: readonly ResultContent[];
  readonly truncated: boolean;
  readonly wholeId?: string;
}

/** All texts of a result together are held to the limits: many parts are no way around them. */
async function limitParts(parts: readonly ResultContent[], context: ToolContext): Promise<Limited> {
  const limits = { maxOutputChars: defaultMaxChars, ...context.limits };
  const whole = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  if (isWithin(whole, limits)) return { parts, truncated: false };
  const wholeId = await keepText(whole, context);
  const hint = wholeId === undefined ? '' : `; recall "${wholeId}" returns it whole`;
  const text: ResultContent = { type: 'text', text: limitText(whole, limits, hint) };
  const limited = [text, ...parts.filter(({ type }) => type !== 'text')];
  return { parts: limited, truncated: true, ...(wholeId === undefined ? {} : { wholeId }) };
}

function keepText(whole: string, context: ToolContext): Promise<string | undefined> {
  const text =
    whole.length <= maxWholeChars
      ? whole
      : `${whole.slice(0, maxWholeChars).toWellFormed()}\n[… cut at 64 MB …]`;
  return context.keep({ type: 'text', text });
}

function withoutEmpty(parts: readonly ResultContent[]): readonly ResultContent[] {
  const kept = parts.filter((part) => part.type !== 'text' || part.text !== '');
  return kept.length > 0 ? kept : [{ type: 'text', text: '(no output)' }];
}
