import { createPage, createProgress } from '../terminal/page.ts';
import { CommandFailure, usageFailure } from '../outcome/failure.ts';
import { compactSession } from '../compact/compact-session.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { findHistory } from '../compact/find-history.ts';
import { findWindow } from '../reading/find-window.ts';
import { cannotFitText } from '@throughline/core';
import { budgetOf, replay } from '@throughline/core/internal';
import { formatNumber } from '../terminal/numbers.ts';
import { jsonText, printable } from '../terminal/text.ts';
import { compactRequestOf } from '../compact/compact-request-of.ts';
import { newHistory } from '../compact/history.ts';
import { openSession } from '../reading/open-session.ts';
import { printCompaction } from '../compact/print-compaction.ts';
import { run } from '../composition/cli.ts';
import { saveCompaction, saveState, standardOutput } from '../compact/save-compaction.ts';
import { checkOutput } from '../compact/write-output.ts';
import { stateFileEnding } from '../reading/state-file.ts';
import { undoCompaction } from '../compact/undo-compaction.ts';
import { whyUnsendable } from '../compact/describe.ts';
import type { Compacted, CompactSessionRequest } from '../compact/compact-session.ts';
import type { Compaction } from '../compact/compaction.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { SessionHistory } from '../compact/history.ts';
import type { OpenedSession, ReadOptions } from '../reading/open-session.ts';
import type { CompactRequestOptions } from '../compact/compact-request-of.ts';
import type { ModelRequest } from '@throughline/core';
import type { FormatName, TargetName } from '@throughline/importers';
import type { OpenedHistory } from '../compact/find-history.ts';
import type { Progress } from '../terminal/page.ts';

export interface CompactOptions extends CommonOptions, ReadOptions, CompactRequestOptions {
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
export function compact(file: string, options: CompactOptions, cli: Cli): Promise<ExitCode> {
  return run(cli, options, async () => {
    refuseContradictions(options);
    const input = file === '-' ? undefined : file;
    await checkOutputs(input, options);
    const progress = createProgress(cli);
    try {
      progress.say(`Reading ${file} …`);
      const read = await openSession(file, options, cli);
      const { opened, history } = await historyOf(read, input, options, cli);
      progress.say('Compacting …');
      const compacted =
        options.undo === true
          ? undoIn(opened, history, options)
          : await compactIn(opened, history, { options, cli, progress });
      const output = await save(opened, history, compacted, { options, cli });
      progress.clear();
      print({ ...compacted.compaction, output }, options, cli);
      return told(compacted.compaction, cli);
    } finally {
      progress.clear();
    }
  });
}

/** That a session cannot fit is said on standard error too, where scripts look. */
function told({ file, cannotFit }: Compaction, cli: Cli): ExitCode {
  if (!cannotFit) return exitCode.ok;
  const sentence = `${file}: ${cannotFitText(cannotFit, { number: formatNumber })}`;
  cli.err(`throughline: ${printable(sentence)}\n`);
  return exitCode.notGood;
}

function refuseContradictions(options: CompactOptions): void {
  const { to, out, profile, profileFile, baseUrl, model, json, undo, fresh } = options;
  if (out === '') throw usageFailure('--out names no file: an empty name was given.');
  if (undo === true && fresh === true)
    throw usageFailure('--undo takes back what is remembered, and --fresh remembers nothing: choose one.');
  if (to !== undefined && out === undefined)
    throw usageFailure('--to names the format of a file: give --out FILE with it.');
  if (out === standardOutput && json === true)
    throw usageFailure('--out - writes the transcript to standard output, where --json prints: choose one.');
  if (profile !== undefined && profileFile !== undefined)
    throw usageFailure('Give --profile or --profile-file, not both.');
  if (baseUrl !== undefined && model === undefined)
    throw usageFailure('--base-url asks a model: name it with --model.');
}

async function checkOutputs(
  input: string | undefined,
  { out, force = false }: CompactOptions,
): Promise<void> {
  if (out === undefined || out === standardOutput) return;
  await checkOutput(out, { input, force });
  await checkOutput(out + stateFileEnding, { input, force });
}

async function historyOf(
  opened: OpenedSession,
  input: string | undefined,
  options: CompactOptions,
  cli: Cli,
): Promise<OpenedHistory> {
  if (options.fresh === true) return { opened, history: newHistory(opened) };
  const reopen = async (format: FormatName): Promise<OpenedSession | undefined> =>
    options.format !== undefined || input === undefined
      ? undefined
      : openSession(input, { ...options, format }, cli).catch(() => undefined);
  const { found, notes } = await findHistory(opened, input, reopen);
  for (const note of notes) cli.err(`throughline: ${printable(note)}\n`);
  if (!found) return { opened, history: newHistory(opened) };
  // Said before anything is asked or written: what lies beside a file is easily forgotten.
  const { source } = found.history;
  if (source && options.json !== true) {
    const way = options.undo === true ? '' : '; --fresh begins anew';
    cli.err(`throughline: goes on from ${printable(source.path)}${way}\n`);
  }
  return found;
}

/** Where the repair leaves nothing that could be sent, it is the input that is at fault. */
function refuseNothing(file: string, { transcript, state }: SessionHistory): void {
  const reason = whyUnsendable(transcript, replay(transcript.conversation, state.changes).view);
  if (reason === undefined) return;
  throw new CommandFailure('unreadable-file', `${file} cannot be compacted: ${reason}.`, {
    exitCode: exitCode.unreadable,
    details: { file, reason },
  });
}

function undoIn(opened: OpenedSession, history: SessionHistory, options: CompactOptions): Compacted {
  const found = findWindow(opened.session, options);
  return undoCompaction(opened, history, found.source === 'assumed' ? undefined : found);
}

interface Compacting {
  readonly options: CompactOptions;
  readonly cli: Cli;
  readonly progress: Progress;
}

async function compactIn(
  opened: OpenedSession,
  history: SessionHistory,
  { options, cli, progress }: Compacting,
): Promise<Compacted> {
  refuseNothing(opened.file, history);
  const request = await compactRequestOf(opened, history, options, cli);
  const onRequest: CompactSessionRequest['onRequest'] = (call, purpose) =>
    progress.say(`Asking ${options.model ?? 'the model'} ${askedFor[purpose]} (call ${call}) …`);
  // Only a model makes anybody wait: all else ends before an interrupt could be heard.
  if (!request.driver) return await compactSession(opened, history, { ...request, onRequest });
  const signal = cli.watchInterrupts();
  const compacted = await compactSession(opened, history, { ...request, signal, onRequest });
  if (signal.aborted) throw interrupted();
  return compacted;
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
  history: SessionHistory,
  { after, checkpoints, compaction }: Compacted,
  { options, cli }: Omit<Compacting, 'progress'>,
): Promise<Compaction['output']> {
  const { out, to, force = false } = options;
  if (!after) return null;
  const saved = { shown: after, checkpoints };
  const nowMs = cli.now();
  if (out !== undefined) {
    refuseInvalid(out, compaction);
    const answerTokens = budgetOf(findWindow(opened.session, options).budget).outputReserveTokens;
    return saveCompaction(opened, history, saved, {
      path: out,
      to,
      force,
      nowMs,
      answerTokens,
      out: cli.out,
    });
  }
  // An undo that nobody wants written down still has to hold for the next compaction.
  return compaction.outcome === 'undone' ? saveState(history, saved, nowMs) : null;
}

function refuseInvalid(out: string, { validity: { violations }, outcome }: Compaction): void {
  // An undo gives back what was there, however it was.
  if (violations.length === 0 || outcome === 'undone') return;
  throw new CommandFailure(
    'invalid-result',
    `${out} was not written: the result breaks a rule of its format.`,
    {
      exitCode: exitCode.fault,
      details: violations,
    },
  );
}

function print(compaction: Compaction, options: CompactOptions, cli: Cli): void {
  if (options.json === true) return cli.out(jsonText({ version: 1, ...compaction }));
  // Where the transcript goes to standard output, the page about it goes to standard error.
  const isAside = options.out === standardOutput;
  const page = createPage(cli, isAside ? { color: false } : options);
  printCompaction(compaction, page, options.full);
  (isAside ? cli.err : cli.out)(page.text());
}
