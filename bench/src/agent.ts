/**
 * What the agent costs beside its model: a stream that is stored, a long session, a cancel, a kill; each beside its
 * goal. In one run, on real files; ratios say more than times.
 *
 *   npm run bench:agent -- [--only stream,session,cancel,kills] [--messages 100000] [--steps 10000] [--kills 200] [--json]
 */
import { parseArgs } from 'node:util';
import { formatGoals, measuringOnly } from './table.ts';
import { measureCancel } from './agent/measure-cancel.ts';
import { measureKills } from './agent/measure-kills.ts';
import { measureLongSession } from './agent/measure-long-session.ts';
import { measureStream } from './agent/measure-stream.ts';
import { writeReport } from './report-file.ts';
import type { GoalRow } from './table.ts';
import type { StreamTimes } from './agent/measure-stream.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'stream,session,cancel,kills' },
    parts: { type: 'string', default: '20000' },
    messages: { type: 'string', default: '100000' },
    steps: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
  },
});
const measureIf = measuringOnly(values.only);

const figures = {
  node: process.version,
  stream: await measureIf('stream', () => measureStream(Number(values.parts))),
  session: await measureIf('session', () =>
    measureLongSession(Number(values.messages), Number(values.steps)),
  ),
  cancel: await measureIf('cancel', () => measureCancel(20)),
  kills: await measureIf('kills', () => measureKills(Number(values.kills))),
};
const path = writeReport('agent', figures);
process.stdout.write(
  values.json ? `${JSON.stringify(figures)}\n` : `${formatGoals(rowsOf())}\n\nReport: ${path}\n`,
);

function rowsOf(): readonly GoalRow[] {
  const { stream, session: long, cancel, kills } = figures;
  const rows: GoalRow[] = [];
  if (stream) {
    rows.push(
      { what: `bare streamText, ${stream.parts} parts, ms`, value: stream.bare.ms },
      { what: 'the whole loop over it, ms', value: stream.loop.ms },
      { what: 'loop ÷ bare', value: stream.ratio, digits: 2, most: 1.25 },
      { what: 'loop ÷ bare, time of the processor', value: stream.processorRatio, digits: 2 },
      {
        what: 'persisted deltas/s, without the SDK',
        value: stream.deltasPerSecond,
        digits: 0,
        least: 30_000,
      },
      ...blockedRows('bare', stream.bare),
      ...blockedRows('loop over the SDK', stream.loop),
      ...blockedRows('loop alone', stream.own),
    );
  }
  if (long) {
    const { session, work } = long;
    rows.push(
      { what: `open, ${session.messages} messages, ms`, value: session.openMs, most: 1_000 },
      { what: 'first request, ms', value: session.firstRequestMs, most: 1_000 },
      { what: 'heap of the open session, MB', value: session.heapMB },
      { what: 'recall, p95, ms', value: session.recallP95Ms, most: 20 },
      { what: 'search, p95, ms', value: session.searchP95Ms, most: 20 },
      { what: `growth over ${work.steps} steps, MB`, value: work.growthMB, most: 50 },
      { what: 'a step at the beginning, ms', value: work.firstStepsMs, digits: 2 },
      {
        what: 'a step at the end ÷ at the beginning',
        value: work.lastStepsMs / work.firstStepsMs,
        digits: 2,
        most: 1.25,
      },
      { what: `longest step (${work.compactions} compactions), ms`, value: work.longestStepMs },
    );
  }
  if (cancel) {
    rows.push(
      { what: 'cancel a running bash, median, ms', value: cancel.bashMs[0] },
      { what: 'cancel a running bash, longest, ms', value: cancel.bashMs[1], most: 100 },
      { what: 'cancel a stream, longest, ms', value: cancel.streamMs[1], most: 100 },
    );
  }
  if (kills) {
    rows.push(
      { what: `text lost at a kill, median of ${kills.kills}, ms`, value: kills.medianMs },
      { what: 'text lost at a kill, p95, ms', value: kills.p95Ms },
      { what: 'text lost at a kill, most, ms', value: kills.maxMs, most: 100 },
    );
  }
  return rows;
}

function blockedRows(name: string, { blockedMs, blockedProcessorMs }: StreamTimes): readonly GoalRow[] {
  return [
    { what: `event loop blocked, ${name}, ms`, value: blockedMs, ...(name === 'bare' ? {} : { most: 50 }) },
    { what: '  in time of the processor, ms', value: blockedProcessorMs },
  ];
}
