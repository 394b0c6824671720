import { basename } from 'node:path';
import { createPage } from '../terminal/page.ts';
import { createProgress } from '../terminal/progress.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { compactSession } from '../compact/compact-session.ts';
import { createStrategy, findModel, findProfile, ownProfile } from '@throughline/core';
import { exitCode } from '../exit-code.ts';
import { findHistory } from '../compact/find-history.ts';
import { findWindow, requireWindow } from '../reading/find-window.ts';
import { formatNumber } from '../terminal/numbers.ts';
import { jsonText } from '../terminal/json.ts';
import { newHistory } from '../compact/history.ts';
import { openSession } from '../reading/open-session.ts';
import { printable } from '../terminal/printable.ts';
import { printCompaction } from '../compact/print-compaction.ts';
import { readFile } from 'node:fs/promises';
import { run } from './run.ts';
import { saveCompaction, saveState } from '../compact/save-compaction.ts';
import { checkOutput } from '../compact/write-output.ts';
import { stateFileEnding } from '../compact/state-file.ts';
import { undoCompaction } from '../compact/undo-compaction.ts';
import type { Compacted, CompactWishes } from '../compact/compact-session.ts';
import type { Compaction } from '../compact/compaction.ts';
import type { CommonOptions } from './run.ts';
import type { Driver } from '@throughline/ports';
import type { ExitCode } from '../exit-code.ts';
import type { History } from '../compact/history.ts';
import type { Host } from '../host.ts';
import type { OpenedSession, ReadOptions } from '../reading/open-session.ts';
import type { Profile } from '@throughline/core';
import type { TargetName } from '@throughline/importers';

export interface CompactOptions extends CommonOptions, ReadOptions {
  readonly window?: number;
  readonly strategy?: string;
  readonly profile?: string;
  readonly profileFile?: string;
  readonly baseUrl?: string;
  /** Milliseconds for one answer of the model. */
  readonly timeout?: number;
  readonly focus?: string;
  readonly out?: string;
  readonly to?: TargetName;
  readonly force?: boolean;
  readonly pin?: readonly number[];
  readonly undo?: boolean;
  /** Prints the whole summary. */
  readonly full?: boolean;
  /** Goes on from no state file. */
  readonly fresh?: boolean;
}

const defaultTimeoutMs = 300_000;

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
      const output = await save(opened, history, compacted, options, host);
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
  const { model, pin = [], focus } = options;
  const window = requireWindow({ ...options, recordedModel: opened.session.model });
  const length = history.transcript.conversation.entries.length;
  const wrongPin = pin.find((ordinal) => ordinal >= length);
  if (wrongPin !== undefined)
    throw usageFailure(`There is no message m${wrongPin} to pin: the last is m${length - 1}.`);
  const driver = await driverOf(options, host);
  const progress = createProgress(host);
  const wishes: CompactWishes = {
    window,
    strategy: createStrategy(options.strategy ?? 'reactive-overflow'),
    profile: await profileOf(options),
    pins: pin,
    summariserWindowTokens:
      (model === undefined ? undefined : findModel(model)?.entry.windowTokens) ?? window.windowTokens,
    signal: host.signal,
    onRequest: (call) => progress.say(`Asking ${model ?? 'the model'} for the summary (call ${call}) …`),
    ...(focus === undefined ? {} : { focus }),
    ...(model === undefined ? {} : { model }),
    ...(driver ? { driver } : {}),
  };
  try {
    const compacted = await compactSession(opened, history, wishes);
    if (host.signal.aborted) throw interrupted();
    return compacted;
  } finally {
    progress.clear();
  }
}

function interrupted(): CommandFailure {
  return new CommandFailure('interrupted', 'Interrupted; nothing was written.', {
    exitCode: exitCode.interrupted,
  });
}

/** The key comes from the environment only: what stands on a command line can be read by others. */
async function driverOf(
  { model, baseUrl, timeout }: CompactOptions,
  host: Host,
): Promise<Driver | undefined> {
  if (model === undefined || baseUrl === undefined) return undefined;
  const apiKey = host.env['THROUGHLINE_API_KEY'] ?? host.env['OPENAI_API_KEY'];
  return host.createDriver({
    model,
    baseUrl,
    timeoutMs: timeout ?? defaultTimeoutMs,
    ...(apiKey ? { apiKey } : {}),
  });
}

async function profileOf({ profile, profileFile }: CompactOptions): Promise<Profile> {
  if (profileFile === undefined) return findProfile(profile ?? 'coding');
  const text = await readFile(profileFile, 'utf8').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure('unreadable-file', `The profile ${profileFile} cannot be read: ${reason}.`, {
      exitCode: exitCode.unreadable,
    });
  });
  if (text.trim() === '') throw usageFailure(`The profile ${profileFile} is empty.`);
  return ownProfile(basename(profileFile), text);
}

async function save(
  opened: OpenedSession,
  history: History,
  { after, checkpoints, compaction }: Compacted,
  { out, to, force = false }: CompactOptions,
  host: Host,
): Promise<Compaction['output']> {
  if (!after) return null;
  const saved = { shown: after, checkpoints };
  // An undo that nobody wants written down still has to hold for the next compaction.
  if (out === undefined)
    return compaction.outcome === 'undone' ? saveState(history, saved, host.now()) : null;
  if (compaction.validity.violations.length > 0) {
    throw new CommandFailure(
      'invalid-result',
      `${out} was not written: the result breaks a rule of its format.`,
      {
        exitCode: exitCode.fault,
        details: compaction.validity.violations,
      },
    );
  }
  return saveCompaction(opened, history, saved, {
    path: out,
    force,
    nowMs: host.now(),
    ...(to === undefined ? {} : { to }),
  });
}

function print(compaction: Compaction, options: CompactOptions, host: Host): void {
  if (options.json === true) return host.out(jsonText({ version: 1, ...compaction }));
  const page = createPage(host, options);
  printCompaction(compaction, page, options.full);
  host.out(page.text());
}
