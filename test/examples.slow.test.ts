import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
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

/** Each in a process of its own, or, in a default run, all in one: to load the packages takes most of the time. */
async function runAll(): Promise<readonly Outcome[]> {
  const paths = scripts.map((script) => join(folder, script));
  if (isDeepRun) {
    const alone = (path: string): Promise<Outcome> =>
      run([path]).then(
        (output) => ({ path, output }),
        (error: unknown) => ({ path, output: '', failure: inspect(error) }),
      );
    const outcomes: Outcome[] = [];
    for (const path of paths) outcomes.push(await alone(path));
    return outcomes;
  }
  const lines = (await run([join(import.meta.dirname, 'run-examples.ts'), ...paths])).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Outcome);
}

describe('examples', () => {
  let outcomes: readonly Outcome[] = [];
  beforeAll(async () => {
    outcomes = await runAll();
  });

  it.each(scripts)('%s runs as it stands', (script) => {
    const outcome = outcomes.find(({ path }) => path === join(folder, script));
    expect(outcome?.failure).toBeUndefined();
    expect(outcome?.output).toMatch(/tokens/);
  });
});
