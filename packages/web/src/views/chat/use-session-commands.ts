import { doAndTell } from '../context/tell.ts';
import { focusInput } from '../input/focus-input.ts';
import { tellCompact, tellUndo } from '../context/compaction-words.ts';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useCommands } from '../commands/commands.ts';
import { useContextActions } from '../../data/context/context-actions.ts';
import { useLocation } from 'wouter';
import { useModelChoice } from './model-menu.tsx';
import { listedName, useModels } from '../../data/models.ts';
import { useSessionDeeds } from '../shell/use-session-deeds.ts';
import type { Command } from '../commands/commands.ts';
import type { ConversationState } from '../../data/conversation/state.ts';
import type { CompactAnswer, ModelList } from '../../data/types.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';

type Row = Omit<Command, 'group'>;

/** What can be done with the session that is shown. */
export function useSessionCommands(
  { session, activity, runningCompaction, compactions }: ConversationState,
  live: LiveConversation,
  onRename: () => void,
): void {
  const [, navigate] = useLocation();
  const { fork, exportLines } = useSessionDeeds();
  const actions = useContextActions(session.id, live);
  const switchTo = useModelChoice(session.id, live);
  const models = useModels();
  const isBusy = activity.type !== 'idle' || runningCompaction !== null;
  const rows: readonly Row[] = [
    { label: 'Go to the message', words: 'input write focus', shortcut: 'to-input', run: focusInput },
    {
      label: 'Stop',
      words: 'cancel run abort',
      shortcut: 'stop',
      slash: 'stop',
      isOff: !isBusy,
      run: () => void toastFailure('It could not be stopped', actions.cancel),
    },
    {
      label: 'Compact the context',
      words: 'summarise summarize shorten',
      slash: 'compact',
      takes: 'what the summary should heed',
      isOff: isBusy,
      run: (focus = '') =>
        void doAndTell(
          'The context was not compacted',
          () => actions.compact(focus === '' ? {} : { focus }),
          tellRest,
        ),
    },
    {
      label: 'Take the last compaction back',
      words: 'undo compaction',
      slash: 'undo',
      isOff: isBusy || !compactions.some(({ canUndo }) => canUndo),
      run: () => void doAndTell('The compaction was not taken back', actions.undo, tellUndo),
    },
    ...placeRows(session.id, navigate),
    { label: 'Rename', words: 'title', shortcut: 'rename', slash: 'rename', run: onRename },
    { label: 'Fork', words: 'branch copy', slash: 'fork', run: () => fork(session) },
    {
      label: 'Export as JSON lines',
      words: 'save download',
      slash: 'export',
      run: () => exportLines(session),
    },
    ...otherModels(models.state === 'ready' ? models.value.items : [], session.model).map((name) => ({
      label: `Go on with ${name}`,
      words: 'model switch',
      slash: `model ${name}`,
      run: () => switchTo(name),
    })),
  ];
  useCommands(rows.map((row) => ({ ...row, group: 'This session' as const })));
}

function placeRows(sessionId: string, navigate: (href: string) => void): readonly Row[] {
  const go = (view: string) => () => navigate(`/sessions/${sessionId}/${view}`);
  return [
    { label: 'Context inspector', words: 'open context', slash: 'inspector', run: go('inspector') },
    { label: 'Trace', words: 'open steps timeline', slash: 'trace', run: go('trace') },
  ];
}

function otherModels(items: ModelList['items'], now: string | null): readonly string[] {
  const names = items.map(({ name }) => name);
  const current = listedName(now ?? names[0] ?? '', names);
  return names.filter((name) => name !== current);
}

/** What was done is told by its event. */
function tellRest(answer: CompactAnswer): ReturnType<typeof tellCompact> | undefined {
  return answer.type === 'compacted' || answer.type === 'cancelled' ? undefined : tellCompact(answer);
}
