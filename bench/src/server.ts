/**
 * What serving costs: until it is ready, until the first event of a message, streams beside the library alone, readers of
 * events, readers that stall, memory, and a route of the AI SDK that keeps nothing. The load comes from this process, the
 * server is another one. In one run, on real files; ratios say more than times.
 *
 *   npm run bench:server -- [--only ready,first,streams,readers,memory,bare] [--requests 50000] [--reconnects 10000] [--json]
 */
import { parseArgs } from 'node:util';
import { formatGoals, measuringOnly } from './table.ts';
import { measureBareRoute, measureFirstEvents } from './server/measure-messages.ts';
import { measureMemory, measureReaders } from './server/measure-readers.ts';
import { measureReady } from './server/measure-ready.ts';
import { measureStreams } from './server/measure-streams.ts';
import { writeReport } from './report-file.ts';
import type { GoalRow } from './table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'ready,first,streams,readers,memory,bare' },
    requests: { type: 'string', default: '50000' },
    reconnects: { type: 'string', default: '10000' },
    readers: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
});
const measureIf = measuringOnly(values.only);

const figures = {
  node: process.version,
  ready: await measureIf('ready', () => measureReady(9)),
  first: await measureIf('first', () => measureFirstEvents(100)),
  streams: await measureIf('streams', () => measureStreams(200, 100)),
  readers: await measureIf('readers', () => measureReaders(Number(values.readers), 100)),
  memory: await measureIf('memory', () => measureMemory(Number(values.requests), Number(values.reconnects))),
  bare: await measureIf('bare', () => measureBareRoute(200, 40)),
};
const path = writeReport('server', figures);
process.stdout.write(
  values.json ? `${JSON.stringify(figures)}\n` : `${formatGoals(rowsOf())}\n\nReport: ${path}\n`,
);

function rowsOf(): readonly GoalRow[] {
  const { ready, first, streams, readers, memory, bare } = figures;
  const rows: GoalRow[] = [];
  if (ready) {
    rows.push(
      { what: 'serve answers, median, ms', value: ready.medianMs, digits: 0, most: 1_000 },
      { what: 'serve answers, longest, ms', value: ready.longestMs, digits: 0 },
      { what: 'node -e 0, ms', value: ready.emptyMs, digits: 0 },
    );
  }
  if (first) {
    rows.push(
      { what: 'message to first event, p50, ms', value: first.httpMs, most: 15 },
      { what: 'message to first event, p95, ms', value: first.httpP95Ms },
      { what: 'the library alone, p50, ms', value: first.libraryMs },
      { what: 'above the library, ms', value: first.aboveMs, most: 2 },
    );
  }
  if (streams) {
    rows.push(
      {
        what: `${streams.sessions} sessions, library alone, deltas/s`,
        value: streams.libraryPerSecond,
        digits: 0,
      },
      { what: 'served to another process, deltas/s', value: streams.servedPerSecond, digits: 0 },
      { what: 'served ÷ library', value: streams.share, digits: 2, least: 0.6 },
    );
  }
  if (readers) {
    const told = `${readers.readers} readers, ${readers.sessions} sessions, ${readers.eventsPerSecond} events/s`;
    rows.push(
      { what: `${told}: delay, p50, ms`, value: readers.p50Ms },
      { what: '  p95, ms', value: readers.p95Ms, most: 100 },
      { what: '  p95 with stalled readers, ms', value: readers.stalledP95Ms },
      { what: '  with ÷ without, same round', value: readers.stalledRatio, digits: 2, most: 1.1 },
    );
  }
  if (memory) {
    const { before, afterRequests, afterReconnects, requests, reconnects } = memory;
    rows.push(
      { what: 'heap before, MB', value: before.heapMB },
      { what: `  growth after ${requests} requests, MB`, value: afterRequests.heapMB - before.heapMB },
      {
        what: `  growth after ${reconnects} reconnects, too, MB`,
        value: afterReconnects.heapMB - before.heapMB,
        most: 5,
      },
      { what: 'resident before, MB', value: before.residentMB },
      { what: '  growth after both, MB', value: afterReconnects.residentMB - before.residentMB },
    );
  }
  if (bare) {
    rows.push(
      { what: `answer of ${bare.parts} parts, stored, ms`, value: bare.oursMs },
      { what: 'streamText route that stores nothing, ms', value: bare.bareMs },
      { what: 'ours ÷ that', value: bare.ratio, digits: 2, most: 1.5 },
    );
  }
  return rows;
}
