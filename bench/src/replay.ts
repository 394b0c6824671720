/**
 * Replays recorded sessions with every strategy of ours and with peers, prints what each would have kept and cost, and
 * writes reports/replay.json and a chart for each set. `--help` lists the options.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installPeers } from './peers/install-peers.ts';
import { printReport } from './report/print-report.ts';
import { readArguments, replayUsage } from './replay/replay-options.ts';
import { replayReport } from './report/replay-report.ts';
import { runTasks } from './replay/run-tasks.ts';
import { setChart } from './report/set-chart.ts';
import { versionsOf } from './peers/load-peers.ts';
import { writeChart, writeReport } from './report-file.ts';
import type { ReplayArguments } from './replay/replay-options.ts';

const defaultFolder = join(import.meta.dirname, '../../../shared/data');

if (process.argv.includes('--help')) {
  process.stdout.write(`${replayUsage}\n`);
  process.exit(0);
}
const { options, asJson, isBrief } = readOrExit();
for (const folder of options.folders) {
  if (existsSync(folder)) continue;
  process.stderr.write(`There is no ${folder}. Name a folder: npm run bench:replay -- DIR\n`);
  process.exit(1);
}
const startedAt = performance.now();
const failure = options.withPeers ? installPeers() : undefined;
const ran = await runTasks({ ...options, withPeers: options.withPeers && failure === undefined }, (left) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${left} replays left   `);
});
const report = replayReport({
  options,
  ran: failure === undefined ? ran : { ...ran, survey: { ...ran.survey, notes: [failure] } },
  seconds: (performance.now() - startedAt) / 1_000,
  peerVersions: options.withPeers ? versionsOf() : {},
});
const charts = [...Map.groupBy(report.sets, ({ set }) => set)].map(([set, all]) =>
  writeChart(`replay-${set.replaceAll('+', '-')}`, setChart(set, all)),
);
const path = writeReport('replay', report);
process.stdout.write(
  asJson
    ? `${JSON.stringify(report)}\n`
    : `${printReport(report, { isBrief })}\n\nReport: ${path}\nCharts: ${charts.join(', ')}\n`,
);
process.exit(report.failed.length > 0 ? 1 : 0);

function readOrExit(): ReplayArguments {
  try {
    const fallback = process.env['THROUGHLINE_SESSIONS'] ?? defaultFolder;
    const read = readArguments(process.argv.slice(2), fallback);
    return {
      ...read,
      options: { ...read.options, folders: read.options.folders.map((one) => resolve(one)) },
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${replayUsage}\n`);
    process.exit(1);
  }
}
