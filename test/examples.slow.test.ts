import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../examples');
const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
  .sort();

describe('examples', () => {
  it.each(scripts)('%s runs as it stands', (script) => {
    const output = execFileSync(process.execPath, ['--conditions=throughline-source', join(folder, script)], {
      encoding: 'utf8',
    });
    expect(output).toMatch(/tokens/);
  });
});
