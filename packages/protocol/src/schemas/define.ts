import { z } from 'zod';

/** Schemas with a name of their own in the OpenAPI document. */
export const namedSchemas = z.registry<{ readonly id: string }>();

/** Gives a schema its name in the OpenAPI document. */
export function define<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  namedSchemas.add(schema, { id });
  return schema;
}

/** A list that is only read. */
export function listOf<Item extends z.ZodType>(item: Item): z.ZodReadonly<z.ZodArray<Item>> {
  return z.array(item).readonly();
}

/** Counts and places. */
export const natural = z.int().min(0);

/** A whole number in an address, where everything is a text. */
export function wholeNumber(minimum: number, maximum: number): z.ZodType<number, string> {
  return z
    .string()
    .transform((text, context) => {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (number >= minimum && number <= maximum) return number;
      context.issues.push({
        code: 'custom',
        message: `expected a whole number from ${minimum} to ${maximum}`,
        input: text,
      });
      return z.NEVER;
    })
    .meta({ type: 'integer', minimum, maximum });
}

/** A switch in an address. */
export const flag: z.ZodType<boolean, 'true' | 'false'> = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .meta({ type: 'boolean', enum: undefined });

/** Ids are made by the server, or come from a client: one line, not endless. */
export const idText = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'expected no control characters');
