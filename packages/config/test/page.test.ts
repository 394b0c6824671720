import { describe, expect, it } from 'vitest';
import { faultSentence, parseConfig, variableOf } from '@throughline/config';
import { pagePath } from './schema-file.ts';
import { readFileSync } from 'node:fs';
import { withTables } from './key-tables.ts';

const page = readFileSync(pagePath, 'utf8');

describe('docs/configuration.md', () => {
  it('explains every key with its default (npm run api:update rewrites the tables)', () => {
    expect(withTables(page)).toBe(page);
  });

  it('has an example without faults', () => {
    const text = /```yaml\n# example\n([^]*?)```/.exec(page)?.[1] ?? '';
    expect(text).toContain('mcpServers');
    const result = parseConfig({
      file: { path: '/a.yaml', text },
      environment: { HOME: '/home/ada', TRACKER_TOKEN: 't', THROUGHLINE_API_KEY: 'k' },
      workingFolder: '/',
    });
    expect(result.type === 'faults' ? result.faults.map(faultSentence) : []).toEqual([]);
    expect(result.warnings).toEqual([]);
  });

  it('names models that are taken', () => {
    const models = [...page.matchAll(/^model: (\S+)/gm)].map(([line]) => line);
    expect(models.length).toBeGreaterThan(4);
    for (const text of models) {
      const result = parseConfig({ file: { path: '/a.yaml', text }, environment: {}, workingFolder: '/' });
      expect(result.type).toBe('config');
    }
  });

  it('names variables as they are', () => {
    const rows = [...page.matchAll(/^\| `([\w.]+)` \| `(THROUGHLINE_\w+)/gm)];
    expect(rows.length).toBeGreaterThan(4);
    for (const [, key = '', variable] of rows) expect(variableOf(key.split('.'))).toBe(variable);
  });
});
