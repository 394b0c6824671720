import { createPage } from '../terminal/page.ts';
import { createProgress } from '../terminal/progress.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { compactSession } from '../compact/compact-session.ts';
import { exitCode } from '../exit-code.ts';
import { findHistory } from '../compact/find-history.ts';
import { findWindow } from '../reading/find-window.ts';
import { formatNumber } from '../terminal/numbers.ts';
import { jsonText } from '../terminal/json.ts';
import { makeWishes } from '../compact/make-wishes.ts';
import { newHistory } from '../compact/history.ts';
import { openSession } from '../reading/open-session.ts';
import { printable } from '../terminal/printable.ts';
import { printCompaction } from '../compact/print-compaction.ts';
import { run } from './run.ts';
import { saveCompaction, saveState } from '../compact/save-compaction.ts';
import { checkOutput } from '../compact/write-output.ts';
import { stateFileEnding } from '../compact/state-file.ts';
import { undoCompaction } from '../compact/undo-compaction.ts';
import type { Compacted, CompactWishes } from '../compact/compact-session.ts';
import type { Compaction } from '../compact/compaction.ts';
import type { CommonOptions } from './run.ts';
import type { ExitCode } from '../exit-code.ts';
import type { History } from '../compact/history.ts';
import type { Host } from '../host.ts';
import type { OpenedSession, ReadOptions } from '../reading/open-session.ts';
import type { WishOptions } from '../compact/make-wishes.ts';
import type { ModelRequest } from '@throughline/core';
import type { TargetName } from '@throughline/importers';

export interface CompactOptions extends CommonOptions, ReadOptions, WishOptions {
  readonly model?: string;
  readonly out?: string;
  readonly to?: TargetName;
  readonly force?: boolean;
  readonly undo?: boolean;
  /** Prints the whole summary. */
  readonly full?: boolean;
  /** Goes on from no state file. */
  readonly fresh?: boolean;
}

/** `throughline compact FILE`: one compaction of a recorded session, reported, and written where `--out` says. */
export function compact(file: string, options: CompactOptions, host: Host): Promise<ExitCode> {
  return run(host, options, async () => {
    refuseContradictions(options);
    const input = file === '-' ? undefined : file;
    if (options.out !== undefined) await checkOutputs(options.out, input, options);
    const progress = createProgress(host);
    try {
      progress.say(`Reading ${file} …`);
      const opened = await openSession(file, options, host);
      const history = await historyOf(opened, input, options, host);
      progress.say('Compacting …');
      const compacted =
        options.undo === true
          ? undoIn(opened, history, options)
          : await compactIn(opened, history, options, host);
      const output = await save(opened, history, compacted, { ...options, nowMs: host.now() });
      progress.clear();
      print({ ...compacted.compaction, output }, options, host);
      return told(compacted.compaction, host);
    } finally {
      progress.clear();
    }
  });
}

/** That a session cannot fit is said on standard error too, where scripts look. */
function told({ file, cannotFit }: Compaction, host: Host): ExitCode {
  if (!cannotFit) return exitCode.ok;
  const { requestTokens, usableTokens, parts } = cannotFit;
  const biggest = parts.slice(0, 3).map(({ name, tokens }) => `${name} ${formatNumber(tokens)}`);
  const sentence = `${file} cannot fit: its smallest request measures ${formatNumber(requestTokens)} tokens, ${formatNumber(usableTokens)} are usable; the biggest parts are ${biggest.join(', ')}.`;
  host.err(`throughline: ${printable(sentence)}\n`);
  return exitCode.notGood;
}

function refuseContradictions(options: CompactOptions): void {
  const { to, out, profile, profileFile, baseUrl, model } = options;
  if (to !== undefined && out === undefined)
    throw usageFailure('--to names the format of a file: give --out FILE with it.');
  if (profile !== undefined && profileFile !== undefined)
    throw usageFailure('Give --profile or --profile-file, not both.');
  if (baseUrl !== undefined && model === undefined)
    throw usageFailure('--base-url asks a model: name it with --model.');
}

async function checkOutputs(
  out: string,
  input: string | undefined,
  { force = false }: CompactOptions,
): Promise<void> {
  await checkOutput(out, { input, force });
  await checkOutput(out + stateFileEnding, { input, force });
}

async function historyOf(
  opened: OpenedSession,
  input: string | undefined,
  { fresh }: CompactOptions,
  host: Host,
): Promise<History> {
  if (fresh === true) return newHistory(opened);
  const { history, notes } = await findHistory(opened, input);
  for (const note of notes) host.err(`throughline: ${printable(note)}\n`);
  return history ?? newHistory(opened);
}

function undoIn(opened: OpenedSession, history: History, { window, model }: CompactOptions): Compacted {
  const found = findWindow({
    ...(window === undefined ? {} : { window }),
    ...(model === undefined ? {} : { model }),
    recordedModel: opened.session.model,
  });
  return undoCompaction(opened, history, found.source === 'assumed' ? undefined : found);
}

async function compactIn(
  opened: OpenedSession,
  history: History,
  options: CompactOptions,
  host: Host,
): Promise<Compacted> {
  const progress = createProgress(host);
  const wishes = await makeWishes(opened, history, options, host);
  const onRequest: CompactWishes['onRequest'] = (call, purpose) =>
    progress.say(`Asking ${options.model ?? 'the model'} ${askedFor[purpose]} (call ${call}) …`);
  try {
    // Only a model makes anybody wait: all else ends before an interrupt could be heard.
    if (!wishes.driver) return await compactSession(opened, history, { ...wishes, onRequest });
    const signal = host.watchInterrupts();
    const compacted = await compactSession(opened, history, { ...wishes, signal, onRequest });
    if (signal.aborted) throw interrupted();
    return compacted;
  } finally {
    progress.clear();
  }
}

const askedFor: Readonly<Record<ModelRequest['purpose'], string>> = {
  summary: 'for the summary',
  'prune-decisions': 'what of the older messages can go',
};

function interrupted(): CommandFailure {
  return new CommandFailure('interrupted', 'Interrupted; nothing was written.', {
    exitCode: exitCode.interrupted,
  });
}

async function save(
  opened: OpenedSession,
  history: History,
  { after, checkpoints, compaction }: Compacted,
  options: SaveOptions,
): Promise<Compaction['output']> {
  const { out, to, force = false, nowMs } = options;
  if (!after) return null;
  const saved = { shown: after, checkpoints };
  if (out !== undefined) {
    refuseInvalid(out, compaction);
    return saveCompaction(opened, history, saved, { path: out, to, force, nowMs });
  }
  // An undo that nobody wants written down still has to hold for the next compaction.
  return compaction.outcome === 'undone' ? saveState(history, saved, nowMs) : null;
}

type SaveOptions = CompactOptions & { readonly nowMs: number };

function refuseInvalid(out: string, { validity: { violations } }: Compaction): void {
  if (violations.length === 0) return;
  throw new CommandFailure(
    'invalid-result',
    `${out} was not written: the result breaks a rule of its format.`,
    {
      exitCode: exitCode.fault,
      details: violations,
    },
  );
}

function print(compaction: Compaction, options: CompactOptions, host: Host): void {
  if (options.json === true) return host.out(jsonText({ version: 1, ...compaction }));
  const page = createPage(host, options);
  printCompaction(compaction, page, options.full);
  host.out(page.text());
}
