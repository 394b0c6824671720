import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { join } from 'node:path';
import { memoryFolder } from './memory-folder.ts';

it('the folder for stores of tests is one that can be written to, on every machine', () => {
  const folder = mkdtempSync(join(memoryFolder(), 'throughline-memory-'));
  expect(statSync(folder).isDirectory()).toBe(true);
  rmSync(folder, { recursive: true });
  expect(existsSync(folder)).toBe(false);
});
