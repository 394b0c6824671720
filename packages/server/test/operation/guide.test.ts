import { execFileSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { metricTable } from '../../src/operation/metric-table.ts';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import type { MetricKind } from '../../src/operation/metric-table.ts';

const page = readFileSync(new URL('../../../../docs/guides/running-the-server.md', import.meta.url), 'utf8');

function row({ name, type, labels, help }: MetricKind): string {
  return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
}

it('lists every metric as it is', () => {
  const [, listed = ''] = /<!-- metrics -->\n([^]*?)<!-- end -->/.exec(page) ?? [];
  const rows = Object.values<MetricKind>(metricTable).map(row);
  expect(listed.trim()).toBe(['| name | type | labels | what |', '|---|---|---|---|', ...rows].join('\n'));
});

function hasSystemd(): boolean {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it.runIf(hasSystemd())('has a unit that systemd takes without a word', () => {
  const [, unit = ''] = /```ini\n([^]*?)```/.exec(page) ?? [];
  expect(unit).toContain('ExecStart=/usr/bin/throughline serve');
  const folder = mkdtempSync(join(tmpdir(), 'throughline-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'throughline.service');
  // It is not installed where tests run.
  writeFileSync(file, unit.replace('/usr/bin/throughline', process.execPath));
  expect(
    execFileSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8', stdio: 'pipe' }),
  ).toBe('');
});
