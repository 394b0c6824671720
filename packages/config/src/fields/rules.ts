import { readPercentage } from '@throughline/core/settings';
import type { FieldRule } from './field.ts';

const withUnit = (units: string): string => `^[0-9][0-9_]*(\\.[0-9]+)? ?(${units})?$`;

function quantity(units: Units, range: Range, pattern: string): FieldRule<number> {
  const { min, max = Number.MAX_SAFE_INTEGER, unit } = range;
  const least = max === Number.MAX_SAFE_INTEGER ? `≥ ${min}` : `from ${min} to ${max}`;
  return {
    expected: `${unit} ${least}`,
    read: (value) => {
      const number = readQuantity(value, units);
      return number !== undefined && number >= min && number <= max ? number : undefined;
    },
    json: {
      anyOf: [
        { type: 'integer', minimum: min, ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max }) },
        { type: 'string', pattern },
      ],
    },
  };
}

interface Range {
  readonly min: number;
  readonly max?: number;
  readonly unit: string;
}

const wholeNumber = 'a whole number';

/** Whole numbers; `4k` is 4000. */
export const count = (min: number, max?: number): FieldRule<number> =>
  quantity(countUnits, { min, ...(max === undefined ? {} : { max }), unit: wholeNumber }, withUnit('k|K|M'));

/** Tokens; `32k` is 32 000. */
export const tokens = (min: number): FieldRule<number> =>
  quantity(countUnits, { min, unit: `${wholeNumber} of tokens` }, withUnit('k|K|M'));

// Timers of the platform count to here (24.8 days), and fire at once for more.
const longestMs = 2 ** 31 - 1;

/** Milliseconds, or a number with `ms`, `s`, `m`, `h` or `d`. Longer than a timer can wait is as long as it can. */
export const duration = (min: number): FieldRule<number> => {
  const rule = quantity(
    durationUnits,
    { min, unit: 'a duration (milliseconds, or a number with ms, s, m, h, d)' },
    withUnit('ms|s|m|h|d'),
  );
  const read: typeof rule.read = (value) => {
    const delayMs = rule.read(value);
    return delayMs === undefined ? undefined : Math.min(delayMs, longestMs);
  };
  return { ...rule, read };
};

/** Bytes, or a number with `kB`, `MB`, `GB` or `KiB`, `MiB`, `GiB`. */
export const bytes = (min: number): FieldRule<number> =>
  quantity(
    byteUnits,
    { min, unit: 'a size (bytes, or a number with kB, MB, GB)' },
    withUnit('B|[kKMG]B|[KMG]iB'),
  );

export const share: FieldRule<number> = {
  expected: 'a share above 0 and at most 1, as 0.65 or "65%"',
  read: readShare,
  json: {
    anyOf: [
      { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      { type: 'string', pattern: '^([0-9]{1,3}(\\.[0-9]+)?|0?\\.[0-9]+) ?%?$' },
    ],
  },
};

/** A percentage, with or without its sign, or a share below 1; need not be whole. */
export const percent = (min: number, max: number): FieldRule<number> => ({
  expected: `a percentage from ${min} to ${max}, as 80, 0.8 or "80%"`,
  read: (value) => {
    const read = readPercentage(value);
    return read !== undefined && read >= min && read <= max ? read : undefined;
  },
  json: {
    anyOf: [
      { type: 'number', minimum: min / 100, maximum: max },
      { type: 'string', pattern: '^([0-9]{1,3}(\\.[0-9]+)?|\\.[0-9]+) ?%?$' },
    ],
  },
});

export const number = (min: number, max: number): FieldRule<number> => ({
  expected: `a number from ${min} to ${max}`,
  read: (value) => {
    const read = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
    return typeof read === 'number' && read >= min && read <= max ? read : undefined;
  },
  json: { type: 'number', minimum: min, maximum: max },
});

export const flag: FieldRule<boolean> = {
  expected: 'true or false',
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  json: { type: 'boolean' },
};

export const text: FieldRule<string> = {
  expected: 'a text that is not empty',
  read: (value) => (typeof value === 'string' && value.trim() !== '' ? value : undefined),
  json: { type: 'string', minLength: 1 },
};

/** A secret, as far as anybody who shows it is concerned. */
export const hiddenText: FieldRule<string> = { ...text, json: { ...text.json, writeOnly: true } };

/** Text that names something: one line without blanks. */
export const word = (expected: string): FieldRule<string> => ({
  expected,
  read: (value) => (typeof value === 'string' && /^\S+$/.test(value) ? value : undefined),
  json: { type: 'string', pattern: '^\\S+$' },
});

export const path: FieldRule<string> = {
  expected: 'a path',
  read: (value) =>
    typeof value === 'string' && value.trim() !== '' && !/[\0\r\n]/.test(value) ? value : undefined,
  json: { type: 'string', minLength: 1 },
};

export function oneOf<const Value extends string>(...values: readonly Value[]): FieldRule<Value> {
  return {
    expected: `one of ${values.join(', ')}`,
    read: (value) => values.find((one) => one === value),
    json: { type: 'string', enum: [...values] },
    known: values,
  };
}

/** The name of an environment variable. What it holds never passes through here. */
export const variableName: FieldRule<string> = {
  expected:
    'the NAME of an environment variable in capitals, as OPENAI_API_KEY (what it holds does not belong into the file)',
  read: (value) => (typeof value === 'string' && /^[A-Z_][A-Z0-9_]{0,127}$/.test(value) ? value : undefined),
  json: { type: 'string', pattern: '^[A-Z_][A-Z0-9_]{0,127}$' },
};

/** An http address without a name and password in it. */
export const address: FieldRule<string> = {
  expected: 'an address that begins with http:// or https:// and holds no user name or password',
  read: (value) => (typeof value === 'string' && isPlainAddress(value) ? value : undefined),
  json: { type: 'string', pattern: '^https?://' },
};

function isPlainAddress(value: string): boolean {
  if (!/^https?:\/\/\S+$/i.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

export const texts: FieldRule<readonly string[]> = {
  expected: 'a list of texts',
  read: (value) => (Array.isArray(value) && value.every(isPlain) ? value.map(String) : undefined),
  json: { type: 'array', items: { type: ['string', 'number', 'boolean'] } },
};

/** Names of environment variables, of whatever program. */
export const variableNames: FieldRule<readonly string[]> = {
  expected: 'a list of NAMES of environment variables',
  read: (value) => (Array.isArray(value) && value.every(isVariableName) ? value : undefined),
  json: { type: 'array', items: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' } },
};

function isVariableName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(value);
}

/** Names with texts that may be secrets. */
export const hiddenTexts: FieldRule<Readonly<Record<string, string>>> = {
  expected: 'names with a text each',
  read: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value);
    if (!entries.every(([, one]) => isPlain(one))) return undefined;
    return Object.fromEntries(entries.map(([name, one]) => [name, String(one)]));
  },
  json: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
};

/** People write `PORT: 3000` and mean the text. */
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** What the letters after a number stand for. */
type Units = Readonly<Record<string, number>>;

const countUnits: Units = { '': 1, k: 1_000, K: 1_000, M: 1_000_000 };
const durationUnits: Units = { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const byteUnits: Units = {
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
function readQuantity(value: unknown, units: Units): number | undefined {
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
function readShare(value: unknown): number | undefined {
  const share = typeof value === 'string' ? shareOfText(value.trim()) : value;
  return typeof share === 'number' && share > 0 && share <= 1 ? share : undefined;
}

function shareOfText(text: string): number | undefined {
  const [, digits = '', percent = ''] = /^(\d{1,3}(?:\.\d{1,12})?|0?\.\d{1,12}) ?(%?)$/.exec(text) ?? [];
  if (digits === '') return undefined;
  return percent === '' ? Number(digits) : Number(digits) / 100;
}
