import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes `bench/reports/<name>.json` and returns its path. */
export function writeReport(name: string, report: unknown): string {
  const folder = join(import.meta.dirname, '../reports');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  writeFileSync(path, `${JSON.stringify(report, null, 1)}\n`);
  return path;
}
