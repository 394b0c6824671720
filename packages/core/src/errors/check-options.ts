import { isObject } from '../json/json.ts';
import { ContextError } from './context-error.ts';

/** What one option may hold. */
export interface OptionCheck {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
  /** Also `undefined` is refused. */
  readonly isRequired?: true;
  /** Looks further into a value that fits, under the option's own name. */
  readonly inside?: (option: string, value: object) => void;
}

/** A row for each option: a new option does not compile without one. */
export type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: OptionCheck };

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

export const optionalText: OptionCheck = { expected: 'a text', fits: (value) => typeof value === 'string' };

export const optionalFlag: OptionCheck = {
  expected: 'true or false',
  fits: (value) => typeof value === 'boolean',
};

export const optionalFunction: OptionCheck = {
  expected: 'a function',
  fits: (value) => typeof value === 'function',
};

export const optionalList: OptionCheck = { expected: 'a list', fits: Array.isArray };

export const anything: OptionCheck = { expected: 'anything', fits: () => true };

export const numberFrom = (least: number): OptionCheck => ({
  expected: `a finite number ≥ ${least}`,
  fits: (value) => isNumber(value) && value >= least,
});

export const wholeFrom = (least: 0 | 1): OptionCheck => ({
  expected: `a whole number ≥ ${least}`,
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= least,
});

/** Milliseconds, for ever too. */
export const duration: OptionCheck = {
  expected: 'a number ≥ 0',
  fits: (value) => typeof value === 'number' && value >= 0,
};

export const wholeNumbers: OptionCheck = {
  expected: 'a list of whole numbers',
  fits: (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
};

export const texts: OptionCheck = {
  expected: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

export const oneOfTexts = (...values: readonly string[]): OptionCheck => ({
  expected: `one of ${values.join(', ')}`,
  fits: (value) => typeof value === 'string' && values.includes(value),
});

/** An object that can do something: these members are functions. */
export const withFunctions = (what: string, ...names: readonly string[]): OptionCheck => ({
  expected: `${what}: an object with ${names.join(', ')}`,
  fits: (value) => isObject(value) && names.every((name) => typeof value[name] === 'function'),
});

/** An object in which these members are what they should be, whatever else is in it. */
export const objectWith = (what: string, members: Readonly<Record<string, OptionCheck>>): OptionCheck => ({
  expected: what,
  fits: (value) =>
    isObject(value) &&
    Object.entries(members).every(
      ([name, { fits, isRequired }]) =>
        (value[name] === undefined && isRequired !== true) || fits(value[name]),
    ),
});

export const finiteNumber: OptionCheck = { expected: 'a finite number', fits: isNumber };

/** Options of their own, checked by their table. */
export const optionsIn = <Options>(checks: OptionChecks<Options>): OptionCheck => ({
  expected: 'an object',
  fits: isObject,
  inside: (option, value) => checkOptions(option, value, checks),
});

export const required = (check: OptionCheck): OptionCheck => ({ ...check, isRequired: true });

/**
 * Options that came from outside: an object, every name in it known, every value of its type.
 *
 * @param place how errors name the object, as `policy.budget`; '' for the options of a function
 * @throws {ContextError} `invalid-option` that names the option, for a misspelt name too.
 */
export function checkOptions<Options>(place: string, value: unknown, checks: OptionChecks<Options>): void {
  if (!isObject(value)) throw invalidOption(place || 'options', 'an object', value);
  const names = Object.keys(checks);
  const path = (name: string): string => (place === '' ? name : `${place}.${name}`);
  for (const name of Object.keys(value)) {
    if (value[name] === undefined || Object.hasOwn(checks, name)) continue;
    throw invalidOption(path(name), `an option there is${nearest(name, names)}`, value[name]);
  }
  for (const name of names) {
    const check = checks[name as keyof Options];
    const option = value[name];
    if (option === undefined && check.isRequired !== true) continue;
    if (!check.fits(option)) throw invalidOption(path(name), check.expected, option);
    if (isObject(option)) check.inside?.(path(name), option);
  }
}

/** One value alone, as an argument of a function. */
export function checkOption(option: string, { fits, expected }: OptionCheck, received: unknown): void {
  if (!fits(received)) throw invalidOption(option, expected, received);
}

/** @param known where it should have been one of some names */
export function invalidOption(
  option: string,
  expected: string,
  received: unknown,
  known: readonly string[] = [],
): ContextError<'invalid-option'> {
  const others = known.length > 0 ? `; known: ${known.join(', ')}` : '';
  const message = `Expected ${option} to be ${expected}, got ${shown(received)}${others}.`;
  return new ContextError('invalid-option', message, { option, expected, received });
}

/** A value in a word or two: errors are read by people. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/** The known names, the one that was probably meant first. */
function nearest(name: string, known: readonly string[]): string {
  const likely = known.find((one) => isNear(name.toLowerCase(), one.toLowerCase()));
  return likely === undefined ? `: ${known.join(', ')}` : ` (did you mean ${likely}?)`;
}

/** One slip away, as a letter left out, or the same letters in another order. */
function isNear(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > 2) return false;
  let begin = 0;
  while (begin < name.length && name[begin] === known[begin]) begin += 1;
  let end = 0;
  while (end < name.length - begin && name.at(-1 - end) === known.at(-1 - end)) end += 1;
  return begin + end >= Math.min(name.length, known.length) - 2 && begin + end > 2;
}

/**
 * @param decode what decodes the messages, in the words of the caller
 * @throws {ContextError} `invalid-option` for messages that are not decoded.
 */
export function checkEntries(entries: unknown, decode: string): void {
  if (!Array.isArray(entries))
    throw invalidOption('entries', `a list of decoded messages, each ${decode}(message, index)`, entries);
  const wrong = entries.findIndex((entry) => !isObject(entry) || !Array.isArray(entry['parts']));
  if (wrong < 0) return;
  throw invalidOption(`entries[${wrong}]`, `a decoded message, ${decode}(message, index)`, entries[wrong]);
}

/** What a codec that was handed in is known by. */
export const aCodec: OptionCheck = withFunctions(
  'a codec, as openaiChatCodec',
  'decode',
  'edit',
  'compose',
  'neutral',
);
