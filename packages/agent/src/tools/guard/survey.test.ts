import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBench } from '../../../test/tool-bench.ts';
import { createGuard } from './guard.ts';
import { surveyOf } from './survey.ts';
import { watchForPlanted } from './watch-for-planted.ts';

/** A folder with such files; what makes more of them. */
async function place(...paths: readonly string[]): Promise<{ root: string; add: (path: string) => void }> {
  const { root } = await openBench();
  const add = (path: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'x');
  };
  paths.forEach(add);
  return { root, add };
}

describe('a survey', () => {
  it('looks however deep, and not in packages of others', async () => {
    const { root } = await place('a/b/c/d/e/.envrc', 'a/node_modules/x/.envrc', '.npmrc');
    const { present, unseen, isPartial } = await surveyOf(createGuard(root));
    const paths = ['.npmrc', 'a/b/c/d/e/.envrc'].map((path) => join(root, path));
    expect([[...present], [...unseen], isPartial]).toEqual([paths, [join(root, 'a/node_modules')], false]);
  });

  it('that is too much looks at what is near first, and says that there is more', async () => {
    const { root } = await place('a/b/c/.envrc', 'a/.npmrc', 'd/.npmrc');
    const { present, unseen, isPartial } = await surveyOf(createGuard(root), 4);
    const paths = ['a/.npmrc', 'd/.npmrc'].map((path) => join(root, path));
    expect([[...present].toSorted(), [...unseen], isPartial]).toEqual([paths, [join(root, 'a/b')], true]);
  });
});

describe('what a command made', () => {
  it('is set aside where somebody had looked, and left alone where it may be old', async () => {
    const { root, add } = await place('a/b/c/.envrc', 'a/.npmrc', 'd/.npmrc');
    const guard = createGuard(root);
    const { settle } = watchForPlanted(guard, await surveyOf(guard, 4));
    ['a/b/.mise.toml', 'new/deep/.mise.toml', 'd/.mise.toml'].forEach(add);
    const { moved, isPartial } = await settle();
    expect([[...moved.keys()].toSorted(), isPartial]).toEqual([
      ['d/.mise.toml', 'new/deep/.mise.toml'],
      true,
    ]);
    expect(existsSync(join(root, 'a/b/c/.envrc'))).toBe(true);
  });
});
