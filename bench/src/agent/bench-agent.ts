import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createAgent } from '@throughline/agent';
import { folderBlobs, openSqliteStore } from '@throughline/stores';
import { randomIds, systemClock, systemTimer } from '@throughline/ports';
import type { Agent, AgentOptions } from '@throughline/agent';
import type { SessionStore } from '@throughline/ports';

/** A folder that is gone when it is disposed of. */
interface TemporaryFolder extends Disposable {
  readonly path: string;
}

export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export function openFile(folder: string): Promise<SessionStore> {
  return openSqliteStore({ file: join(folder, 'sessions.db'), blobs: folderBlobs(join(folder, 'blobs')) });
}

/** An agent with real time, over a store. */
export function benchAgent(
  store: SessionStore,
  options: Pick<AgentOptions, 'driver'> & Partial<AgentOptions>,
): Agent {
  return createAgent({ store, clock: systemClock, timer: systemTimer, ids: randomIds, ...options });
}
