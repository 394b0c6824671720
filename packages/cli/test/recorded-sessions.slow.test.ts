import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStrategy, emptyState, openTranscript, prepare, renderView } from '@throughline/core';
import { strategyNames } from '@throughline/core/internal';
import { findWireFaults, isDeepRun } from '@throughline/testkit';
import { readRecording, writeRecording } from '@throughline/importers';
import type { JudgedFormat } from '@throughline/testkit';
import type { RecordedSession, Recording, ViewMessage } from '@throughline/importers';
import type { Policy } from '@throughline/core';

const folder = process.env['THROUGHLINE_SESSIONS'] ?? join(import.meta.dirname, '../../../../shared/data');
const isPresent = existsSync(folder);
const windows = [16_000, 64_000, 200_000];
const judged = new Set<string>(['openai-chat', 'anthropic', 'openai-responses', 'ai-sdk']);

function recordings(directory: string): string[] {
  return readdirSync(directory)
    .sort()
    .flatMap((name) => {
      const path = join(directory, name);
      if (statSync(path).isDirectory()) return recordings(path);
      return /\.(jsonl?|traj)$/.test(name) ? [path] : [];
    });
}

interface Way {
  readonly strategy: string;
  readonly windowTokens: number;
  readonly isManual: boolean;
}

interface Outcome {
  readonly fits: number;
  readonly cannotFit: string[];
  readonly faults: string[];
}

/** What the judge says of messages, without their positions. */
function faultsOf(codecName: string, wire: readonly unknown[]): string[] {
  if (!judged.has(codecName)) return [];
  return findWireFaults(codecName as JudgedFormat, wire).map((fault) =>
    fault.replace(/message \d+/, 'a message'),
  );
}

/** The compacted view, written in the tool's own format and read again. */
async function writeAndRead(recording: Recording, session: RecordedSession): Promise<string[]> {
  const transcript = openTranscript({ codec: session.codec }, session.messages);
  const policy: Policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 64_000 } };
  const step = prepare(transcript, emptyState(), policy, { reason: 'manual' });
  if (step.type !== 'ready') return [];
  const rendered = renderView(transcript, step.view, { ending: 'open' }).messages;
  const view = rendered.map((one): ViewMessage =>
    one.source === 'entry' && one.ordinal !== undefined
      ? { type: 'original', index: one.ordinal, message: one.message, isEdited: one.isEdited }
      : { type: 'written', message: one.message },
  );
  const isOwnFormat = !eventLogs.has(recording.format);
  const written = writeRecording(recording, session, view, isOwnFormat ? {} : { to: 'openai-chat' });
  const again = await readRecording(chunks(written.text));
  const faults: string[] = [];
  if (isOwnFormat && again.format !== recording.format) faults.push(`is read back as ${again.format}`);
  const read = again.sessions.find(({ kind }) => kind === 'active');
  if (isOwnFormat && read?.messages.length !== rendered.length) {
    faults.push(`${rendered.length} messages were written, ${String(read?.messages.length)} are read back`);
  }
  return faults;
}

const eventLogs = new Set<string>(['claude-sdk', 'codex-exec', 'copilot-cli', 'gemini-cli', 'openhands']);

async function* chunks(text: string): AsyncGenerator<string> {
  yield text;
}

/**
 * Every strategy in every window, asked for or not. A default run tries a third of them on each recording, another
 * third on the next one.
 */
function waysFor(place: number): readonly Way[] {
  const all = strategyNames.flatMap((strategy) =>
    windows.flatMap((windowTokens) =>
      [true, false].map((isManual) => ({ strategy, windowTokens, isManual })),
    ),
  );
  return isDeepRun ? all : all.filter((_, index) => (index + place) % 3 === 0);
}

function compactEverywhere(session: RecordedSession, ways: readonly Way[]): Outcome {
  const outcome: Outcome & { fits: number } = { fits: 0, cannotFit: [], faults: [] };
  // Blocks of the tool's own that it never sends are no fault of the engine.
  const known = new Set(faultsOf(session.codec.name, session.messages));
  const { codec, messages, system, tools } = session;
  const transcript = openTranscript(
    { codec, ...(system === undefined ? {} : { system }), ...(tools === undefined ? {} : { tools }) },
    messages,
  );
  for (const { strategy, windowTokens, isManual } of ways) {
    const policy: Policy = { strategy: createStrategy(strategy), budget: { windowTokens } };
    const step = prepare(transcript, emptyState(), policy, isManual ? { reason: 'manual' } : {});
    const where = `${strategy} at ${windowTokens}${isManual ? ', manual' : ''}`;
    if (step.type !== 'ready') {
      const numbers =
        step.type === 'cannot-fit' ? `${step.requestTokens} of ${step.usableTokens}` : 'asked a model';
      outcome.cannotFit.push(`${where}: ${numbers}`);
      continue;
    }
    outcome.fits += 1;
    const { final, before } = step.report.tokens;
    if (final > step.report.usableTokens) outcome.faults.push(`${where}: ${final} tokens are above usable`);
    if (final > before) outcome.faults.push(`${where}: grew from ${before} to ${final} tokens`);
    const wire = renderView(transcript, step.view).messages.map(({ message }) => message);
    for (const fault of faultsOf(codec.name, wire)) {
      if (!known.has(fault)) outcome.faults.push(`${where}: ${fault}`);
    }
  }
  return outcome;
}

describe.skipIf(!isPresent)(`recorded sessions${isPresent ? '' : ` (skipped: no folder ${folder})`}`, () => {
  // A default run takes every other one.
  const files = (isPresent ? recordings(folder) : []).filter((_, index) => isDeepRun || index % 2 === 0);

  it.each(files.map((file, place) => [relative(folder, file), file, place] as const))(
    '%s goes through import and the strategies at 16k, 64k and 200k',
    async (_name, file, place) => {
      const recording = await readRecording(file);
      const { sessions } = recording;
      const ways = waysFor(place);
      const outcomes = sessions
        .filter(({ kind }) => kind === 'active')
        .map((session) => compactEverywhere(session, ways));
      const cannotFit = outcomes.flatMap((outcome) => outcome.cannotFit);
      if (cannotFit.length > 0)
        console.log(`${_name}: cannot fit ${cannotFit.length} times\n  ${cannotFit.join('\n  ')}`);
      expect(outcomes.flatMap(({ faults }) => faults)).toEqual([]);
      const [first] = sessions.filter(({ kind }) => kind === 'active');
      if (first) expect(await writeAndRead(recording, first)).toEqual([]);
      expect(outcomes.reduce((sum, { fits }) => sum + fits, 0)).toBeGreaterThan(0);
    },
    120_000,
  );
});
