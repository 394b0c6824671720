import { readableText } from './visible-text.ts';

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345` */
export function formatCount(value: number): string {
  return whole.format(Math.round(value));
}

/** `12.3K`; with `≈` in front where nobody counted it exactly. */
export function formatTokens(tokens: number, isEstimate = false): string {
  return `${isEstimate ? '≈ ' : ''}${tokens < 1_000 ? whole.format(Math.round(tokens)) : short.format(tokens)}`;
}

/** `0.8 s`, `12 s`, `3 min 5 s`, `4 h 5 min` */
export function formatDuration(durationMs: number): string {
  if (durationMs < 950) return `${Math.round(durationMs)} ms`;
  if (durationMs < 9_950) return `${(durationMs / 1_000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${formatCount(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** US dollars. */
export function formatCost(usd: number): string {
  return usd === 0 ? '$0' : usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}

const dayMs = 86_400_000;
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const calendar = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** `14:05` today, else the date. */
export function formatTime(atMs: number, nowMs = Date.now()): string {
  const date = new Date(atMs);
  return nowMs - atMs < dayMs && new Date(nowMs).getDate() === date.getDate()
    ? clock.format(date)
    : calendar.format(date);
}

/** What a session is called; one without a title by when it was begun. */
export function sessionTitle(session: {
  readonly title: string | null;
  readonly createdAtMs: number;
}): string {
  return readableText(session.title ?? `Session of ${formatTime(session.createdAtMs)}`);
}
