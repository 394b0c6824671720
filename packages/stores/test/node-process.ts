// A process that holds the lease of a session until it is killed.
import { openPostgresStore } from '../src/postgres/open-postgres-store.ts';

const [url = '', sessionId = ''] = process.argv.slice(2);
const store = await openPostgresStore({ url, connections: 2 });
const lease = await store.leases.acquire(sessionId, 'child', 600_000);
process.stdout.write(`${lease?.epoch}\n`);
setInterval(() => {}, 1_000);
