import { ClientCompactionList, ClientCompactionView } from './client-compactions-view.tsx';
import { Button } from '../../parts/button.tsx';
import { clientCompactions } from '../../inspect/client-compactions.ts';
import { clsx } from 'clsx';
import { DiffView } from './diff-view.tsx';
import { doAndTell } from '../context/tell.ts';
import { Empty } from '../../parts/notice.tsx';
import { formatTime, formatTokens } from '../../parts/format.ts';
import { passRows, passTree } from '../../inspect/compare/pass-tree.ts';
import { reasonWords, tellUndo } from '../context/compaction-words.ts';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useEffect, useRef, useState } from 'react';
import type { InspectorActions } from '../../data/inspected.ts';
import type { PassNode } from '../../inspect/compare/pass-tree.ts';
import type { StepViewProps } from './request/step-view.ts';

/** All compactions as a tree, those that were taken back as branches, and those of the client apart; one of them looked into. */
export function CompactionsView({ inspected, actions }: StepViewProps) {
  const rows = passRows(passTree(inspected));
  const foreign = clientCompactions(inspected);
  const [chosenId, setChosenId] = useState<string>();
  const chosenForeign =
    foreign.find(({ ordinal }) => chosenId === `m${ordinal}`) ??
    (inspected.passes.length === 0 ? foreign.at(-1) : undefined);
  const chosen = inspected.passes.find(({ id }) => id === chosenId) ?? inspected.passes.at(-1);
  if (!chosen && !chosenForeign)
    return <Empty title="Nothing was compacted">What a compaction takes and writes is compared here.</Empty>;
  return (
    <div className="flex h-full max-lg:flex-col">
      <div className="shrink-0 overflow-auto border-line p-2 max-lg:max-h-48 max-lg:border-b lg:w-80 lg:border-r">
        <ClientCompactionList
          compactions={foreign}
          chosen={chosenForeign}
          onChoose={({ ordinal }) => setChosenId(`m${ordinal}`)}
        />
        {rows.length > 0 && (
          <ul aria-label="Compactions">
            {rows.map((node) => (
              <PassRow
                key={node.pass.id}
                node={node}
                isChosen={!chosenForeign && node.pass === chosen}
                onChoose={() => setChosenId(node.pass.id)}
                actions={actions}
              />
            ))}
          </ul>
        )}
      </div>
      <div className="min-h-0 min-w-0 flex-1 overflow-auto p-3">
        {chosenForeign ? (
          <ClientCompactionView inspected={inspected} compaction={chosenForeign} />
        ) : (
          chosen && <DiffView key={chosen.id} inspected={inspected} pass={chosen} actions={actions} />
        )}
      </div>
    </div>
  );
}

const stateWords: Readonly<Record<PassNode['state'], string>> = {
  head: 'in force, the newest',
  'in-force': 'in force',
  redoable: 'taken back; can be put in force again',
  undone: 'taken back',
};

const atSourceWords = 'a result was longer than its limit when it came';

interface PassRowProps {
  readonly node: PassNode;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly actions: InspectorActions | null;
}

function PassRow({ node: { pass, depth, state }, isChosen, onChoose, actions }: PassRowProps) {
  const { name, strategy, reason, tokensBefore, tokensAfter, createdAtMs } = pass;
  const why = reason === 'at-source' ? atSourceWords : `${strategy}, ${reasonWords[reason]}`;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // The newest is chosen first, and stands last.
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <li
      ref={row}
      className={clsx('rounded-md p-1 text-sm', isChosen && 'bg-accent-soft')}
      style={{ marginInlineStart: depth * 12 }}
    >
      <button type="button" aria-pressed={isChosen} onClick={onChoose} className="w-full rounded text-start">
        <span className="block font-medium">
          <span className="capitalize">{name}</span>{' '}
          <span className="font-normal text-ink-soft">({stateWords[state]})</span>
        </span>
        <span className="block text-xs text-ink-soft">
          {formatTokens(tokensBefore)} → {formatTokens(tokensAfter)} · {why}
          {createdAtMs === null ? '' : ` · ${formatTime(createdAtMs)}`}
        </span>
      </button>
      {actions && pass.canUndo && (
        <Button isSmall onClick={() => void doAndTell('It could not be taken back', actions.undo, tellUndo)}>
          Undo
        </Button>
      )}
      {actions && state === 'redoable' && (
        <Button isSmall onClick={() => void toastFailure('It could not be redone', () => actions.redo(pass))}>
          Redo
        </Button>
      )}
    </li>
  );
}
