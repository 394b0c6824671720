import { fileURLToPath } from 'node:url';
import { jsonSchema } from '@throughline/config';

/** The checked-in schema for editors. */
export const schemaPath = fileURLToPath(new URL('../throughline.schema.json', import.meta.url));

/** What it must say now. */
export function currentSchema(): string {
  return `${JSON.stringify(jsonSchema(), null, 2)}\n`;
}

/** The page that explains every key. */
export const pagePath = fileURLToPath(new URL('../../../docs/configuration.md', import.meta.url));
