import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../examples');
const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
  .sort();

// They load the same packages: what the first compiles serves the others.
const compiled = mkdtempSync(join(tmpdir(), 'throughline-examples-'));
afterAll(() => rmSync(compiled, { recursive: true, force: true }));

describe('examples', () => {
  it.each(scripts)('%s runs as it stands', (script) => {
    const output = execFileSync(process.execPath, ['--conditions=throughline-source', join(folder, script)], {
      encoding: 'utf8',
      env: { ...process.env, NODE_COMPILE_CACHE: compiled },
    });
    expect(output).toMatch(/tokens/);
  });
});
