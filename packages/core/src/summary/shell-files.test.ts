import { describe, expect, it } from 'vitest';
import { shellFiles } from './shell-files.ts';

const files = (command: string): string[] =>
  shellFiles(command).map(({ path, isChange }) => `${isChange ? 'changed' : 'read'} ${path}`);

describe('shellFiles', () => {
  it.each([
    ['cat src/a.ts | head -50 > out.txt', ['read src/a.ts', 'changed out.txt']],
    [
      "sed -i 's/a/b/' x/y.ts && rm -rf dist/a.js; cp a.txt b.txt",
      ['changed x/y.ts', 'changed dist/a.js', 'read a.txt', 'changed b.txt'],
    ],
    ["sed -n '1,200p' src/z.ts", ['read src/z.ts']],
    ["cat > new.ts <<'EOF'\nrm foo.ts\nEOF\ncat README", ['changed new.ts', 'read README']],
    ['echo "a > b.txt" >> log.txt', ['changed log.txt']],
    ['FOO=1 sudo tee c.txt', ['changed c.txt']],
    ['ls -la 2>&1 >/dev/null', []],
    ['cat $FILE *.ts', []],
    ['git commit -m "cat foo.ts"', []],
  ])('finds the files of %j', (command, expected) => {
    expect(files(command)).toEqual(expected);
  });

  it('comes through hostile input of a megabyte (in quadratic time it would not, before the time-out)', () => {
    for (const unit of ['<<A\n', '"', '>', 'cat a.b\n', '\\', '<<']) {
      shellFiles(unit.repeat(200_000));
    }
  });
});
