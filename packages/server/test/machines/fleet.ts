import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  memoryFolder,
  openBadLine,
  startJobModel,
  startOwnPooler,
  startOwnPostgres,
  startServeNode,
  startsFile,
} from '@throughline/testkit';
import { openAudit } from './audit.ts';
import { programArguments } from '../spawn-throughline.ts';
import type { Audit } from './audit.ts';
import type {
  BadLine,
  JobModel,
  JobModelOptions,
  OwnPostgres,
  ServeNode,
  ServeNodeOptions,
} from '@throughline/testkit';

/** Several nodes on one Postgres of their own, with one model. */
export interface Fleet extends AsyncDisposable {
  readonly postgres: OwnPostgres;
  readonly model: JobModel;
  readonly audit: Audit;
  /** By place; one that was killed stays until another is started there. */
  readonly nodes: ServeNode[];
  /** Between the node at this place and Postgres. */
  readonly lines: readonly BadLine[];
  /** Starts a node at this place, anew where there was one. */
  start(place: number, more?: Partial<ServeNodeOptions>): Promise<ServeNode>;
  /** Lines that tools have left when they began. */
  toolStarts(): readonly string[];
}

export interface FleetOptions {
  readonly nodes: number;
  /** By place: where nodes listen, also when they are started anew. @default any */
  readonly ports?: readonly number[];
  readonly model?: JobModelOptions;
  readonly postgres?: Readonly<Record<string, string | number>>;
  readonly node?: Partial<ServeNodeOptions>;
  /** Between the nodes and Postgres. */
  readonly pooler?: boolean;
}

/** All nodes start at once, on an empty database. @returns a sentence where there is no Postgres */
export async function openFleet(options: FleetOptions): Promise<Fleet | string> {
  const postgres = await startOwnPostgres(options.postgres);
  if (typeof postgres === 'string') return postgres;
  const home = mkdtempSync(join(memoryFolder(), 'throughline-fleet-'));
  const model = await startJobModel(options.model);
  const pooler = options.pooler ? await startOwnPooler({ port: postgres.port }) : undefined;
  if (typeof pooler === 'string') {
    await postgres[Symbol.asyncDispose]();
    return pooler;
  }
  const { port } = pooler ?? postgres;
  const lines = await Promise.all(Array.from({ length: options.nodes }, () => openBadLine(port)));
  const nodes: ServeNode[] = [];
  const started: ServeNode[] = [];
  const start = async (place: number, more: Partial<ServeNodeOptions> = {}): Promise<ServeNode> => {
    const node = await startServeNode({
      name: `node-${place}-${started.length}`,
      program: programArguments,
      databaseUrl: `postgres://postgres@127.0.0.1:${lines[place]?.port ?? port}/postgres`,
      modelUrl: model.url,
      home,
      port: options.ports?.[place] ?? 0,
      ...options.node,
      ...more,
    });
    started.push(node);
    nodes[place] = node;
    return node;
  };
  await Promise.all(Array.from({ length: options.nodes }, (_, place) => start(place)));
  return {
    postgres,
    model,
    nodes,
    lines,
    audit: await openAudit(postgres.url),
    start,
    toolStarts: () => linesOf(join(home, 'workspace', startsFile)),
    async [Symbol.asyncDispose]() {
      await Promise.all(started.filter((node) => !node.hasEnded()).map((node) => node.end('SIGKILL')));
      await Promise.all([model, ...lines].map((one) => one[Symbol.asyncDispose]()));
      await pooler?.[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
