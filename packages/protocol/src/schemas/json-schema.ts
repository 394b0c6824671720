import { define } from './define.ts';
import { z } from 'zod';
import type { Json } from '../types/json.ts';

/** Any JSON. How deep it may be is the affair of whoever reads it. */
export const json = define('Json', z.unknown() as z.ZodType as z.ZodType<Json>);

export function pageOf<Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ items: z.ZodReadonly<z.ZodArray<Item>>; next: z.ZodNullable<z.ZodString> }> {
  return z.object({
    items: z.array(item).readonly(),
    next: z.string().nullable().describe('What `cursor` of the next page is; null on the last one.'),
  });
}
