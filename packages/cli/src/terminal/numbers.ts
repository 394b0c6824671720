let format: Intl.NumberFormat | undefined;

/** A whole number with its thousands apart: `143,204`. */
export function formatNumber(value: number): string {
  // Made when the first number is shown: a start need not wait for it.
  format ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  return format.format(value);
}

/** A share in per cent: small ones with one digit, so that they do not read as nothing. */
export function formatPercent(share: number): string {
  if (!Number.isFinite(share)) return '–';
  const percent = share * 100;
  const isSmall = percent > 0 && percent < 9.95;
  return `${isSmall ? percent.toFixed(1) : formatNumber(percent)} %`;
}

/** `1 message`, `12 messages`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Tokens for a narrow place: `812`, `12.3k`, `204k`, `1.2M`. */
export function shortTokens(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  const [value, unit] = tokens < 999_500 ? [tokens / 1_000, 'k'] : [tokens / 1_000_000, 'M'];
  return `${value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}

/** `0.3 s`, `12 s`, `2 min 5 s`. */
export function shortDuration(durationMs: number): string {
  const seconds = Math.max(0, durationMs) / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
