let format: Intl.NumberFormat | undefined;
/** Made when the first number is shown: a start need not wait for it. */
function grouped(value: number): string {
  format ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  return format.format(value);
}

/** A whole number with its thousands apart: `143,204`. */
export function formatNumber(value: number): string {
  return grouped(value);
}

/** A share in per cent: small ones with one digit, so that they do not read as nothing. */
export function formatPercent(share: number): string {
  if (!Number.isFinite(share)) return '–';
  const percent = share * 100;
  const isSmall = percent > 0 && percent < 9.95;
  return `${isSmall ? percent.toFixed(1) : grouped(percent)} %`;
}

/** `1 message`, `12 messages`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
