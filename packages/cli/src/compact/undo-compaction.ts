import { assess, windowFacts } from './assess.ts';
import { CommandFailure } from '../outcome/failure.ts';
import { createStrategy, undo } from '@throughline/core';
import { replay } from '@throughline/core/internal';
import { exitCode } from '../outcome/exit-code.ts';
import { identify } from './compact-session.ts';
import { showUnrepaired, showView } from './weigh-view.ts';
import type { Compaction } from './compaction.ts';
import type { Policy } from '@throughline/core';
import type { Compacted } from './compact-session.ts';
import type { SessionHistory } from './history.ts';
import type { OpenedSession } from '../reading/open-session.ts';
import type { WindowChoice } from '../reading/find-window.ts';

// Nothing bounds an undo when no window is known: the history was in use as it was.
const unboundedTokens = 1_000_000_000;

/**
 * The last compaction taken back: the view before it, with the state that goes with it.
 *
 * @throws {ContextError} `undo-refused`, with the numbers, when the former view would not fit a known window.
 */
export function undoCompaction(
  opened: OpenedSession,
  history: SessionHistory,
  window: WindowChoice | undefined,
): Compacted {
  const { transcript, state, checkpoints } = history;
  const checkpoint = checkpoints.find(({ id }) => id === state.head);
  if (!checkpoint) throw nothingToUndo(opened.file, history);
  const known: WindowChoice = window ?? unbounded;
  const policy: Policy = { strategy: createStrategy('reactive-overflow'), budget: known.budget };
  const former = undo(transcript, state, policy, checkpoint);
  // Where nothing of a compaction is left, the messages are those that were there before: not even repaired.
  const show = former.changes.length === 0 ? showUnrepaired : showView;
  const after = show(transcript, replay(transcript.conversation, former.changes).view, former);
  const assessed = assess(history, after);
  const facts = windowFacts(known);
  return {
    after,
    checkpoints: checkpoints.filter((one) => one !== checkpoint),
    compaction: {
      ...identify(opened, history),
      window: { ...facts, source: window ? known.source : 'none' },
      strategy: checkpoint.strategy,
      outcome: 'undone',
      ...tokensOf(assessed, facts.usableTokens),
      ...assessed,
      ladderSteps: [],
      summariser: {
        model: null,
        calls: 0,
        inputTokens: 0,
        outputTokens: 0,
        explanation: 'The last compaction was taken back.',
      },
      warnings: [],
      cannotFit: null,
      output: null,
    },
  };
}

const unbounded: WindowChoice = {
  windowTokens: unboundedTokens,
  source: 'assumed',
  model: null,
  budget: { windowTokens: unboundedTokens },
};

function tokensOf(
  { byCategory }: Pick<Compaction, 'byCategory'>,
  usableTokens: number,
): Pick<Compaction, 'tokens' | 'percentOfUsable'> {
  const before = byCategory.reduce((sum, { tokens }) => sum + tokens.before, 0);
  const after = byCategory.reduce((sum, { tokens }) => sum + tokens.after, 0);
  return { tokens: { before, after }, percentOfUsable: Math.round((after / usableTokens) * 1_000) / 10 };
}

function nothingToUndo(file: string, { source }: SessionHistory): CommandFailure {
  const message = source
    ? `There is no compaction of ${file} to take back: its state ${source.path} holds none.`
    : `No compaction of ${file} is known: no state file (*.throughline.json) in its folder belongs to it.`;
  return new CommandFailure('nothing-to-undo', message, { exitCode: exitCode.unreadable });
}
