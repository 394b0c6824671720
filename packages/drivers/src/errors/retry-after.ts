import type { ErrorFacts } from './error-facts.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const askedFor =
  /(?:try again|retry) (?:in|after) ((?:\d{1,9}(?:\.\d{1,9})?\s?(?:ms|s|m|h)[a-z]{0,6}\s?){1,4})/i;
const duration = /^\d{1,9}(?:\.\d{1,9})?s$/;
const longestMs = 7 * 24 * 3_600_000;

/**
 * How long a server asks one to wait: `retry-after-ms`, `retry-after` (seconds, or a date, held against the date of the
 * response, so that no clock is needed), Google's `retryDelay`, or what the message says in words.
 */
export function retryAfterOf({ headers, texts }: ErrorFacts): number | undefined {
  const delayMs =
    positive(headers.get('retry-after-ms'), 1) ??
    positive(headers.get('retry-after'), 1_000) ??
    untilDate(headers.get('retry-after'), headers.get('date')) ??
    texts.map(inWords).find((found) => found !== undefined);
  return delayMs === undefined ? undefined : Math.min(Math.ceil(delayMs), longestMs);
}

function positive(text: string | undefined, unit: number): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text) * unit;
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

function untilDate(date: string | undefined, now: string | undefined): number | undefined {
  if (date === undefined || now === undefined) return undefined;
  const delayMs = Date.parse(date) - Date.parse(now);
  return Number.isFinite(delayMs) ? Math.max(0, delayMs) : undefined;
}

function inWords(text: string): number | undefined {
  if (duration.test(text)) return Number(text.slice(0, -1)) * 1_000;
  const said = askedFor.exec(text)?.[1];
  if (said === undefined) return undefined;
  let delayMs = 0;
  for (const [, value, unit] of said.matchAll(/([\d.]+)\s?(ms|s|m|h)/gi)) {
    delayMs += Number(value) * (unitMs[(unit ?? '').toLowerCase()] ?? 0);
  }
  return Number.isFinite(delayMs) ? delayMs : undefined;
}
