import { readFileSync, writeFileSync } from 'node:fs';
import { currentSchema, pagePath, schemaPath } from './schema-file.ts';
import { withTables } from './key-tables.ts';

writeFileSync(schemaPath, currentSchema());
writeFileSync(pagePath, withTables(readFileSync(pagePath, 'utf8')));
