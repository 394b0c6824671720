import { InvalidArgumentError } from 'commander';

const units: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 };
const mostTokens = 100_000_000;

/** A number of tokens: `64000`, `64,000`, `64k`, `1.5m`. */
export function parseTokens(text: string): number {
  const match = /^(\d[\d,_]*(?:\.\d+)?)\s*([km]?)$/i.exec(text.trim());
  const tokens = match
    ? Math.round(Number((match[1] ?? '').replace(/[,_]/g, '')) * (units[(match[2] ?? '').toLowerCase()] ?? 1))
    : Number.NaN;
  if (tokens >= 1 && tokens <= mostTokens) return tokens;
  throw new InvalidArgumentError('Expected a number of tokens such as 64000, 64k or 1m.');
}

/** Recall ids of messages: `m12,m40`. Returns their ordinals. */
export function parsePins(text: string): readonly number[] {
  return text.split(',').map((id) => {
    const match = /^\s*m(\d{1,9})(?:\.\d+)?\s*$/.exec(id);
    if (match) return Number(match[1]);
    throw new InvalidArgumentError('Expected recall ids of messages such as m12,m40; `inspect` shows them.');
  });
}

/** Seconds, as milliseconds. */
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 86_400) return seconds * 1_000;
  throw new InvalidArgumentError('Expected a number of seconds above 0.');
}

/** The address of a model server. */
export function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && !url.username && !url.password)
    return text;
  throw new InvalidArgumentError(
    'Expected an http or https address such as http://localhost:1234/v1, without a password.',
  );
}
