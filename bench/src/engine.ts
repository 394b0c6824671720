/**
 * How fast the engine is: a cold pass, one step more, memory; beside the floor and beside the peers, in one run.
 *
 *   npm run bench:engine -- [--sizes 300,3000,10000,100000] [--window 64000] [--strategy reactive-overflow]
 *                           [--no-peers] [--profile] [--json]
 */
import { parseArgs } from 'node:util';
import { chatTranscript } from './synthetic/chat-transcript.ts';
import { coldPass, policyFor } from './engine/ours.ts';
import { formatNumber, formatTable } from './table.ts';
import { incrementalSteps } from './engine/incremental-steps.ts';
import { loadPeers } from './peers/load-peers.ts';
import { logLogSlope, median, settle, timed } from './engine/measure.ts';
import { peerRuns } from './engine/peer-runs.ts';
import { profileCold } from './engine/profile-cold.ts';
import { readCharacters, textsOf } from './engine/floor.ts';
import { writeReport } from './report-file.ts';
import type { ChatMessage } from './synthetic/chat-transcript.ts';
import type { Incremental } from './engine/incremental-steps.ts';
import type { PeerRun } from './engine/peer-runs.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '300,3000,10000,100000' },
    window: { type: 'string', default: '64000' },
    strategy: { type: 'string', default: 'reactive-overflow' },
    'no-peers': { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const policy = policyFor(values.strategy, Number(values.window));
const sizes = values.sizes.split(',').map(Number);
const largestPeerSize = 10_000;
const longestPeerMs = 60_000;

interface ColdFigures {
  readonly messages: number;
  readonly characters: number;
  readonly runs: number;
  readonly floorMs: number;
  readonly oursMs: number;
  /** Medians; a peer that would take too long is given as what it is expected to take. */
  readonly peers: Readonly<
    Record<string, { readonly ms: number; readonly isExpected: boolean; readonly counts: boolean }>
  >;
}

if (values.profile) {
  for (const size of sizes.filter((length) => length <= largestPeerSize)) {
    process.stdout.write(`${await profileCold(size, policy)}\n\n`);
  }
  process.exit(0);
}

const peers = values['no-peers'] ? undefined : await loadPeers();
const others = peers ? await peerRuns(peers, Math.round(policy.budget.windowTokens * 0.7)) : [];
const cold: ColdFigures[] = [];
const steps: Incremental[] = [];
for (let round = 0; round < 20; round += 1) coldPass(chatTranscript(300, round + 100), policy);
for (const size of sizes) {
  cold.push(await measureCold(size, size <= largestPeerSize ? others : []));
  steps.push(incrementalSteps(size, policy));
  if (process.stderr.isTTY) process.stderr.write(`  ${size} messages\n`);
}
const report = {
  window: policy.budget.windowTokens,
  strategy: values.strategy,
  node: process.version,
  peers: peers?.versions ?? {},
  notes: peers?.notes ?? [],
  slope: logLogSlope(cold.map(({ messages, oursMs }) => ({ size: messages, value: oursMs }))),
  cold,
  steps,
};
const path = writeReport('engine', report);
process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : `${print()}\n\nReport: ${path}\n`);
process.exit(0);

/** Floor, ours and each peer in turn, several times, each time on fresh objects: nothing can be remembered. */
async function measureCold(size: number, runs: readonly PeerRun[]): Promise<ColdFigures> {
  const json = JSON.stringify(chatTranscript(size));
  const fresh = (): ChatMessage[] => JSON.parse(json) as ChatMessage[];
  const rounds = size <= 300 ? 31 : size <= 3_000 ? 11 : size <= 10_000 ? 7 : 3;
  const times = new Map<string, number[]>();
  const note = (name: string, ms: number): void => void times.set(name, [...(times.get(name) ?? []), ms]);
  const expected = new Map<string, number>();
  for (const { name, expectMs } of runs) {
    const ms = expectMs?.(fresh()) ?? 0;
    if (ms > longestPeerMs) expected.set(name, ms);
  }
  let characters = 0;
  for (let round = 0; round < rounds; round += 1) {
    const texts = textsOf(fresh());
    characters = texts.reduce((sum, text) => sum + text.length, 0);
    await settle();
    note('floor', await timed(() => readCharacters(texts)));
    const messages = fresh();
    await settle();
    note('ours', await timed(() => coldPass(messages, policy)));
    for (const peer of runs) {
      const isSlow = (times.get(peer.name)?.[0] ?? 0) > 2_000;
      if (expected.has(peer.name) || (isSlow && round > 0)) continue;
      const run = peer.build(fresh());
      await settle();
      note(peer.name, await timed(run));
    }
  }
  const of = (name: string): number => median(times.get(name) ?? []);
  const peerFigures = runs.map(({ name, counts }) => {
    const ms = expected.get(name);
    return [name, { ms: ms ?? of(name), isExpected: ms !== undefined, counts }] as const;
  });
  return {
    messages: size,
    characters,
    runs: rounds,
    floorMs: of('floor'),
    oursMs: of('ours'),
    peers: Object.fromEntries(peerFigures),
  };
}

function print(): string {
  const peerNames = others.map(({ name }) => name);
  const coldRows = [
    ['messages', ...cold.map(({ messages }) => messages)],
    ['characters, M', ...cold.map(({ characters }) => formatNumber(characters / 1e6, 1))],
    ['floor: read all characters, ms', ...cold.map(({ floorMs }) => formatNumber(floorMs))],
    ['ours cold, ms', ...cold.map(({ oursMs }) => formatNumber(oursMs))],
    ['ours ÷ floor', ...cold.map(({ oursMs, floorMs }) => formatNumber(oursMs / floorMs, 1))],
    ...peerNames.flatMap((name) => [
      [`${name}, ms`, ...cold.map(({ peers: all }) => peerCell(all[name]))],
      [
        '  ÷ ours',
        ...cold.map(({ peers: all, oursMs }) => formatNumber((all[name]?.ms ?? Number.NaN) / oursMs, 1)),
      ],
    ]),
    [
      'fastest peer that counts ÷ ours',
      ...cold.map(({ peers: all, oursMs }) => formatNumber(fastestCounting(all) / oursMs, 1)),
    ],
  ];
  const small = steps[0]?.medianMs ?? Number.NaN;
  const stepRows = steps.map(({ messages, medianMs, p95Ms, maxMs, passes, steps: count, heapMB, textMB }) => [
    messages,
    formatNumber(medianMs, 3),
    formatNumber(medianMs / small),
    formatNumber(p95Ms, 3),
    formatNumber(maxMs, 1),
    `${passes} of ${count}`,
    formatNumber(heapMB, 1),
    formatNumber(textMB, 1),
  ]);
  const [headings = [], ...rows] = coldRows;
  return [
    `Cold pass: decode, count, ladder without a model (${values.strategy}, window ${values.window}), render; medians of ` +
      `${cold.map(({ runs }) => runs).join('/')} runs on fresh objects.`,
    ...report.notes,
    formatTable(headings.map(String), rows),
    '(~: expected from the time of one count; it would take longer than a minute)',
    `log–log slope of the cold pass: ${formatNumber(report.slope)}`,
    '',
    'One step more: a call and its result appended, prepare, render.',
    formatTable(
      [
        'messages',
        'median ms',
        '÷ smallest',
        'p95 ms',
        'max ms',
        'with ladder pass',
        'heap MB',
        'of it texts MB',
      ],
      stepRows,
    ),
  ].join('\n');
}

function peerCell(figure: { ms: number; isExpected: boolean } | undefined): string {
  if (!figure) return '–';
  return `${figure.isExpected ? '~' : ''}${formatNumber(figure.ms, figure.ms > 1_000 ? 0 : 2)}`;
}

function fastestCounting(all: ColdFigures['peers']): number {
  return Math.min(
    ...Object.values(all)
      .filter(({ counts }) => counts)
      .map(({ ms }) => ms),
  );
}
