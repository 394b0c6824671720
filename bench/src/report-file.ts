import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../reports');

/** Writes `bench/reports/<name>.json` and returns its path. */
export function writeReport(name: string, report: unknown): string {
  return write(`${name}.json`, `${JSON.stringify(report, null, 1)}\n`);
}

/** Writes `bench/reports/<name>.svg` and returns its path. */
export function writeChart(name: string, svg: string): string {
  return write(`${name}.svg`, svg);
}

function write(name: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
