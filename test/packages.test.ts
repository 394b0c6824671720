import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from './source.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly private?: boolean;
  readonly keywords?: readonly string[];
  readonly license: string;
  readonly repository?: { readonly url: string; readonly directory: string };
  readonly publishConfig?: { readonly access: string };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');
const manifests = readdirSync(`${root}/packages`)
  .map((folder) => ({ folder, manifest: JSON.parse(read(`packages/${folder}/package.json`)) as Manifest }))
  .filter(({ manifest }) => manifest.private !== true);
const versions = new Map(manifests.map(({ manifest }) => [manifest.name, manifest.version]));

const rangesOf = ({ dependencies, peerDependencies }: Manifest): [name: string, range: string][] =>
  Object.entries({ ...dependencies, ...peerDependencies });

/** A range that ends below some version: `^1.2.0`, `^5.0.0 || ^6.0.0`, `>=0.60.0 <2.0.0`. */
const isClosed = (range: string): boolean =>
  range.split(' || ').every((part) => /^\^\d+\.\d+\.\d+$|^>=\d+\.\d+\.\d+ <\d+\.0\.0$/.test(part));

describe.each(manifests)('$manifest.name', ({ folder, manifest }) => {
  it('says what it is, where it comes from and under which licence', () => {
    expect(manifest.description.length).toBeGreaterThan(10);
    expect(manifest.keywords?.length).toBeGreaterThan(2);
    expect(manifest.repository).toMatchObject({ directory: `packages/${folder}` });
    expect(manifest.publishConfig).toEqual({ access: 'public' });
    expect(existsSync(`${root}/packages/${folder}/README.md`)).toBe(true);
    expect(read(`packages/${folder}/LICENSE`)).toBe(read('LICENSE'));
  });

  it('asks for ranges that end before the next major version, and for no single version', () => {
    expect(rangesOf(manifest).filter(([, range]) => !isClosed(range))).toEqual([]);
  });

  it('asks for its neighbours as they are here', () => {
    const neighbours = rangesOf(manifest).filter(([name]) => /^(@throughline\/|throughline$)/.test(name));
    expect(neighbours).toEqual(neighbours.map(([name]) => [name, `^${versions.get(name)}`]));
  });

  it('offers no condition that others set and that would lead to sources', () => {
    const conditions = Object.values(manifest.exports ?? {}).flatMap((entry) =>
      typeof entry === 'object' && entry !== null ? Object.keys(entry) : [],
    );
    const known = ['throughline-source', 'types', 'default'];
    expect(conditions.filter((name) => !known.includes(name))).toEqual([]);
  });
});
