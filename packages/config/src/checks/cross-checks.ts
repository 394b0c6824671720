import { demoProvider, isLoopback } from '../schema/providers.ts';
import { writtenModel } from '../schema/model-section.ts';
import type { WrittenConfig } from '../schema/config.ts';
import type { WrittenModel } from '../schema/model-section.ts';

/** A fault that is about more than one key. */
export interface CrossFault {
  readonly path: readonly string[];
  /** The other keys: a fault in one of them explains this one. */
  readonly with: readonly (readonly string[])[];
  readonly expected: string;
  readonly found: string;
}

type Check = (config: WrittenConfig) => readonly (CrossFault | false)[];

/** What keys demand of each other. */
export function crossFaults(config: WrittenConfig): readonly CrossFault[] {
  return checks.flatMap((check) => check(config)).filter((fault) => fault !== false);
}

const checks: readonly Check[] = [models, contexts, exposure, stores, buckets, agentRoutes];

function models({ model, summarizer }: WrittenConfig): readonly (CrossFault | false)[] {
  return [
    ...(model === undefined ? [] : modelFaults(writtenModel(model), 'model')),
    ...(summarizer === undefined || summarizer === 'same'
      ? []
      : modelFaults(writtenModel(summarizer), 'summarizer')),
  ];
}

function modelFaults(
  { provider, name, baseUrl }: WrittenModel,
  key: string,
): readonly (CrossFault | false)[] {
  return [
    provider !== demoProvider &&
      name === undefined && {
        path: [key],
        with: [[key, 'name']],
        expected: `the name of a model beside provider: ${provider}`,
        found: 'none',
      },
    provider === 'openai-compatible' &&
      baseUrl === undefined && {
        path: [key],
        with: [[key, 'baseUrl']],
        expected: 'a baseUrl beside provider: openai-compatible, as "baseUrl: http://localhost:1234/v1"',
        found: 'none',
      },
  ];
}

type WrittenContext = WrittenConfig['proxy']['routes'][string]['context'] & object;

function contexts({ context, proxy }: WrittenConfig): readonly (CrossFault | false)[] {
  const routes = Object.entries(proxy.routes).flatMap(([name, route]) =>
    route.context ? contextFaults(route.context, ['proxy', 'routes', name, 'context']) : [],
  );
  const models = Object.entries(context.byModel).map(([name, own]) =>
    windowFault({ ...context, ...own }, ['context', 'byModel', name]),
  );
  return [...contextFaults(context, ['context']), ...models, ...routes];
}

type Windows = Pick<WrittenContext, 'window' | 'outputReserve' | 'safety'>;

function windowFault(
  { window, outputReserve = 0, safety = 0 }: Windows,
  path: readonly string[],
): CrossFault | false {
  return (
    window !== undefined &&
    outputReserve + safety > window / 2 && {
      path: [...path, outputReserve > 0 ? 'outputReserve' : 'safety'],
      with: [[...path, 'window']],
      expected: `outputReserve and safety to be at most half of the window of ${window} tokens`,
      found: String(outputReserve + safety),
    }
  );
}

function contextFaults(context: WrittenContext, path: readonly string[]): readonly (CrossFault | false)[] {
  const { prune, compaction } = context;
  const isTwice = prune.protectTokens !== undefined && compaction.options.pruneProtectTokens !== undefined;
  return [
    windowFault(context, path),
    isTwice && {
      path: [...path, 'compaction', 'options', 'pruneProtectTokens'],
      with: [[...path, 'prune', 'protectTokens']],
      expected: 'this or prune.protectTokens, which is the same',
      found: 'both',
    },
  ];
}

function exposure({ server }: WrittenConfig): readonly (CrossFault | false)[] {
  return [
    !isLoopback(server.host) &&
      server.tokenEnv === undefined &&
      Object.keys(server.tokens).length === 0 && {
        path: ['server', 'host'],
        with: [
          ['server', 'tokenEnv'],
          ['server', 'tokens'],
        ],
        expected: 'server.tokenEnv to name the variable with a token, because others can reach this address',
        found: 'none',
      },
  ];
}

function stores({ store }: WrittenConfig): readonly (CrossFault | false)[] {
  return [
    store.type === 'postgres' &&
      store.databaseUrl === undefined && {
        path: ['store'],
        with: [['store', 'databaseUrl']],
        expected: 'a databaseUrl beside type: postgres, as "databaseUrl: ${DATABASE_URL}"',
        found: 'none',
      },
    store.type === 'postgres' &&
      store.file !== undefined && {
        path: ['store', 'file'],
        with: [['store', 'type']],
        expected: 'no file beside type: postgres',
        found: 'one',
      },
    store.type !== 'postgres' &&
      store.databaseUrl !== undefined && {
        path: ['store', 'databaseUrl'],
        with: [['store', 'type']],
        expected: 'type: postgres beside it',
        found: `type: ${store.type}`,
      },
    store.type === 'memory' &&
      store.file !== undefined && {
        path: ['store', 'file'],
        with: [['store', 'type']],
        expected: 'no file beside type: memory',
        found: 'one',
      },
    store.type === 'memory' &&
      store.blobs.folder !== undefined && {
        path: ['store', 'blobs', 'folder'],
        with: [['store', 'type']],
        expected: 'no blobs.folder beside type: memory',
        found: 'one',
      },
  ];
}

function buckets({ store }: WrittenConfig): readonly (CrossFault | false)[] {
  return [
    store.type !== 'postgres' &&
      store.blobs.bucket !== undefined && {
        path: ['store', 'blobs', 'bucket'],
        with: [['store', 'type']],
        expected: 'type: postgres beside it',
        found: `type: ${store.type}`,
      },
    store.blobs.folder !== undefined &&
      store.blobs.bucket !== undefined && {
        path: ['store', 'blobs', 'bucket'],
        with: [['store', 'blobs', 'folder']],
        expected: 'no folder beside a bucket',
        found: 'one',
      },
    ...(['endpoint', 'region'] as const).map(
      (name) =>
        store.blobs[name] !== undefined &&
        store.blobs.bucket === undefined && {
          path: ['store', 'blobs', name],
          with: [['store', 'blobs', 'bucket']],
          expected: 'a bucket beside it, as "bucket: s3://bucket/prefix"',
          found: 'none',
        },
    ),
  ];
}

function agentRoutes({ proxy }: WrittenConfig): readonly (CrossFault | false)[] {
  return Object.entries(proxy.routes).map(
    ([name, { upstream, apiKeyEnv }]) =>
      upstream === 'agent' &&
      apiKeyEnv !== undefined && {
        path: ['proxy', 'routes', name, 'apiKeyEnv'],
        with: [['proxy', 'routes', name, 'upstream']],
        expected: 'no key beside upstream: agent, which uses that of model',
        found: 'one',
      },
  );
}
