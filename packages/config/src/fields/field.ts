import { z } from 'zod';

/** A piece of JSON schema. */
type JsonSchemaPart = Readonly<Record<string, unknown>>;

export interface FieldRule<Value> {
  /** Completes "expected …, got …". */
  readonly expected: string;
  /** `undefined` refuses the value. Never throws. */
  readonly read: (value: unknown) => Value | undefined;
  /** What an editor is told. */
  readonly json: JsonSchemaPart;
  /** Words it takes, for "did you mean". */
  readonly known?: readonly string[];
}

interface Described<Value> {
  /** What the key is for, in one sentence. */
  readonly about: string;
  readonly default?: Value;
  /** The default in words, where it is no plain value. */
  readonly defaultText?: string;
}

/** A key that need not be given. Its type has `undefined` only where there is no default. */
export function field<Value>(
  rule: FieldRule<Value>,
  about: Described<NoInfer<Value>> & { readonly default: NoInfer<Value> },
): z.ZodDefault<z.ZodType<Value>>;
export function field<Value>(
  rule: FieldRule<Value>,
  about: Described<Value>,
): z.ZodOptional<z.ZodType<Value>>;
export function field<Value>(rule: FieldRule<Value>, about: Described<Value>): z.ZodType {
  const schema = requiredField(rule, about);
  return about.default === undefined ? schema.optional() : schema.default(about.default as never);
}

export function requiredField<Value>(rule: FieldRule<Value>, about: Described<Value>): z.ZodType<Value> {
  const { about: description, default: value, defaultText } = about;
  return z
    .unknown()
    .transform((given, context): Value => {
      const read = rule.read(given);
      if (read !== undefined) return read;
      const params = { known: rule.known ?? [] };
      context.issues.push({ code: 'custom', message: rule.expected, input: given, params });
      return z.NEVER;
    })
    .meta({
      ...rule.json,
      expected: rule.expected,
      description,
      // Not `default`: what is transformed loses it on the way into JSON schema.
      ...(value === undefined ? {} : { defaultValue: value }),
      ...(defaultText === undefined ? {} : { defaultText }),
    });
}

/** A group of keys; any other key is a fault. Not given is the same as empty. */
export function section<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  about: string,
): z.ZodPrefault<z.ZodObject<Shape, z.core.$strict>> {
  return group(shape, about).prefault({} as never);
}

/** A group of keys that is only there when it is given. */
export function group<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  about: string,
): z.ZodObject<Shape, z.core.$strict> {
  return z
    .strictObject(shape, {
      error: (issue) => (issue.code === 'invalid_type' ? 'a section with keys of its own' : undefined),
    })
    .meta({ description: about });
}

interface NameRule {
  readonly pattern: RegExp;
  readonly expected: string;
}

const ownName: NameRule = {
  pattern: /^[A-Za-z0-9_-]{1,64}$/,
  expected: '1 to 64 letters, digits, "_" or "-" as a name',
};

/** Groups of keys under names: the user's own, unless another rule says what they are. */
export function named<Entry extends z.ZodType>(
  entry: Entry,
  about: string,
  { pattern, expected }: NameRule = ownName,
): z.ZodPrefault<z.ZodRecord<z.ZodString, Entry>> {
  const key = z.string().regex(pattern, expected);
  return z
    .record(key, entry, { error: () => 'a section with a name for each entry' })
    .meta({ description: about })
    .prefault({});
}
