const tsc = 'node_modules/typescript/bin/tsc';
const oxlint = 'node_modules/oxlint/bin/oxlint';
const oxfmt = 'node_modules/oxfmt/bin/oxfmt';
const vitest = 'node_modules/vitest/vitest.mjs';
const knip = 'node_modules/knip/bin/knip.js';
const publint = 'node_modules/publint/src/cli.js';

/** For programs written in Go: they take more memory and a quarter less time, up to what a small machine has. */
const roomy = { GOGC: '400', GOMEMLIMIT: '2GiB' };

const checks = [
  { name: 'test types', node: [tsc, '-p', 'tsconfig.test.json'], env: roomy },
  { name: 'lint', node: [oxlint], env: roomy },
  { name: 'format', node: [oxfmt, '--check'] },
];

const published = [
  'core',
  'ports',
  'config',
  'tokenizers',
  'importers',
  'replay',
  'drivers',
  'adapters',
  'agent',
  'protocol',
  'client',
  'server',
  'proxy',
  'web',
  'cli',
  'stores',
];

/** What `npm test` runs: `THROUGHLINE_TESTS=all npm test`, as `.ci/run` does, runs the long tests in the same run. */
const { THROUGHLINE_TESTS: everyday = 'everyday' } = process.env;

/** They leave the processor room where tests wait. */
const besideTests = checks.map((check) => ({ ...check, isBeside: true }));

/**
 * What `npm run <job>` does once Node and the packages are there. A step is a script run by that Node, from the
 * root; arguments after `--` go to the last step. `keepGoing` runs every step and fails at the end; where the last
 * one `countsFailures` of those before it, its own last line is the last of all. One that `isBeside` runs while the
 * others do, and the last one is told what became of it. `env` goes to this step alone. An `isProgram` runs where the user is.
 */
export const jobs = {
  start: {
    build: true,
    steps: [{ name: 'serve', node: ['packages/cli/dist/main.js', 'serve'], isProgram: true }],
  },
  throughline: {
    build: true,
    steps: [{ name: 'throughline', node: ['packages/cli/dist/main.js'], isProgram: true }],
  },
  test: {
    build: true,
    keepGoing: true,
    steps: [
      ...besideTests,
      { name: 'tests', node: [vitest, 'run'], env: { THROUGHLINE_TESTS: everyday }, countsFailures: true },
    ],
  },
  'test:long': {
    build: true,
    steps: [
      { name: 'long tests', node: [vitest, 'run'], env: { THROUGHLINE_TESTS: 'long' }, countsFailures: true },
    ],
  },
  'test:fast': {
    steps: [
      {
        name: 'tests',
        node: [vitest, 'run'],
        env: { THROUGHLINE_LAW_ROUNDS: '1', THROUGHLINE_TESTS: 'fast' },
        countsFailures: true,
      },
    ],
  },
  'test:deep': {
    steps: [
      {
        name: 'tests',
        node: [vitest, 'run'],
        env: { THROUGHLINE_LAW_ROUNDS: 'all', THROUGHLINE_TESTS: 'all' },
        countsFailures: true,
      },
    ],
  },
  build: { build: true, steps: [] },
  check: {
    build: true,
    keepGoing: true,
    steps: [
      ...checks,
      {
        name: 'borders',
        node: [vitest, 'run', 'test/borders.test.ts', 'test/public-names.test.ts'],
        env: { THROUGHLINE_TESTS: 'all' },
        countsFailures: true,
      },
    ],
  },
  lint: { build: true, steps: [{ name: 'lint', node: [oxlint] }] },
  format: { steps: [{ name: 'format', node: [oxfmt] }] },
  vitest: { steps: [{ name: 'tests', node: [vitest] }] },
  hygiene: {
    build: true,
    keepGoing: true,
    steps: [
      { name: 'knip', node: [knip] },
      ...published.map((dir) => ({ name: `publint ${dir}`, node: [publint, `packages/${dir}`, '--strict'] })),
    ],
  },
  pack: { steps: [{ name: 'pack', node: ['test/install/pack-all.ts'] }] },
  'test:install': {
    build: true,
    steps: [
      {
        name: 'install',
        node: [vitest, 'run', '--config', 'test/install/vitest.config.ts'],
        countsFailures: true,
      },
    ],
  },
  'test:clients': {
    steps: [
      {
        name: 'clients',
        node: [vitest, 'run', '--config', 'test/clients/vitest.config.ts'],
        countsFailures: true,
      },
    ],
  },
  'test:machines': {
    steps: [
      {
        name: 'machines',
        node: [vitest, 'run', '--config', 'packages/server/test/machines/vitest.config.ts'],
        countsFailures: true,
      },
    ],
  },
  'api:update': {
    build: true,
    steps: [
      { name: 'public names', node: ['test/update-public-names.ts'] },
      { name: 'schema', node: ['packages/config/test/update-schema.ts'] },
      { name: 'API page', node: ['packages/protocol/test/update-api-page.ts'] },
      { name: 'format', node: [oxfmt, 'packages/config/throughline.schema.json'] },
    ],
  },
  'bench:estimator': { build: true, steps: [{ name: 'estimator', node: ['bench/src/estimator.ts'] }] },
  'bench:reading': { build: true, steps: [{ name: 'reading', node: ['bench/src/reading.ts'] }] },
  'bench:replay': { build: true, steps: [{ name: 'replay', node: ['bench/src/replay.ts'] }] },
  'bench:proxy': { build: true, steps: [{ name: 'proxy', node: ['bench/src/proxy.ts'] }] },
  'bench:server': { build: true, steps: [{ name: 'server', node: ['bench/src/server.ts'] }] },
  'bench:start': { build: true, steps: [{ name: 'start', node: ['bench/src/start.ts'] }] },
  'bench:stores': { build: true, steps: [{ name: 'stores', node: ['bench/src/stores.ts'] }] },
  'bench:agent': { build: true, steps: [{ name: 'agent', node: ['bench/src/agent.ts'] }] },
  'bench:capacity': { build: true, steps: [{ name: 'capacity', node: ['bench/src/capacity.ts'] }] },
  'bench:machines': { build: true, steps: [{ name: 'machines', node: ['bench/src/machines.ts'] }] },
  'bench:web': { build: true, steps: [{ name: 'web', node: ['bench/src/web.ts'] }] },
  'bench:engine': { build: true, steps: [{ name: 'engine', node: ['bench/src/engine.ts'] }] },
};

/** What is built before a job that runs it; each does nothing where nothing changed. */
export const buildSteps = [
  { name: 'build', node: [tsc, '-b'], env: roomy },
  { name: 'build of the page', node: ['tools/build-page.mjs'] },
];
