/** What the letters after a number stand for. */
export type Units = Readonly<Record<string, number>>;

export const countUnits: Units = { '': 1, k: 1_000, K: 1_000, M: 1_000_000 };
export const durationUnits: Units = { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
export const byteUnits: Units = {
  '': 1,
  B: 1,
  kB: 1_000,
  KB: 1_000,
  MB: 1_000_000,
  GB: 1_000_000_000,
  KiB: 1_024,
  MiB: 1_048_576,
  GiB: 1_073_741_824,
};

const written = /^(\d[\d_]*(?:\.\d+)?) ?([A-Za-z]*)$/;

/**
 * A whole number as people write it: 32000, 32_000, `32k`, `1.5k`, `30s`. `undefined` for anything else, and for what is
 * not whole after its unit.
 */
export function readQuantity(value: unknown, units: Units): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > 40) return undefined;
  const [, digits = '', unit = ''] = written.exec(value.trim()) ?? [];
  if (digits === '' || !Object.hasOwn(units, unit)) return undefined;
  const exact = Number(digits.replaceAll('_', '')) * (units[unit] ?? 1);
  const whole = Math.round(exact);
  // 1.1 thousand is 1100.0000000000002 in binary.
  return Number.isSafeInteger(whole) && Math.abs(exact - whole) < 1e-6 ? whole : undefined;
}

/** A share in (0, 1], written as 0.65 or `65%`. */
export function readShare(value: unknown): number | undefined {
  const share = typeof value === 'string' ? shareOfText(value.trim()) : value;
  return typeof share === 'number' && share > 0 && share <= 1 ? share : undefined;
}

function shareOfText(text: string): number | undefined {
  const [, digits = '', percent = ''] = /^(\d{1,3}(?:\.\d{1,12})?|0?\.\d{1,12}) ?(%?)$/.exec(text) ?? [];
  if (digits === '') return undefined;
  return percent === '' ? Number(digits) : Number(digits) / 100;
}
