import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { isDeepRun } from '@throughline/testkit';

const folder = join(import.meta.dirname, '../examples');
const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
  .sort();

/** What a program printed, and why it broke off. */
interface Outcome {
  readonly path: string;
  readonly output: string;
  readonly failure?: string;
}

async function run(args: readonly string[]): Promise<string> {
  const all = ['--conditions=throughline-source', ...args];
  return (await promisify(execFile)(process.execPath, all, { encoding: 'utf8' })).stdout;
}

describe.skipIf(isDeepRun)('examples', () => {
  let outcomes: readonly Outcome[] = [];
  beforeAll(async () => {
    const paths = scripts.map((script) => join(folder, script));
    const lines = (await run([join(import.meta.dirname, 'run-examples.ts'), ...paths])).trimEnd().split('\n');
    outcomes = lines.map((line) => JSON.parse(line) as Outcome);
  });

  it.each(scripts)('%s runs as it stands', (script) => {
    const outcome = outcomes.find(({ path }) => path === join(folder, script));
    expect(outcome?.failure).toBeUndefined();
    expect(outcome?.output).toMatch(/tokens/);
  });
});

describe.runIf(isDeepRun)('examples, each in a process of its own', () => {
  it.each(scripts)('%s runs as it stands', async (script) => {
    expect(await run([join(folder, script)])).toMatch(/tokens/);
  });
});
