import { clsx } from 'clsx';
import { compareViews } from '../../inspect/compare/compare-views.ts';
import { formatCount, formatTokens } from '../../parts/format.ts';
import { messageText } from '../../inspect/message-text.ts';
import { Select } from '../../parts/select.tsx';
import { useMemo, useState } from 'react';
import { VList } from 'virtua';
import { readableText } from '../../parts/visible-text.ts';
import type { Inspected, StepIndex } from '../../inspect/inspected.ts';
import type { StepViewProps } from './request/step-view.ts';
import type { ViewChoice, ViewRow } from '../../inspect/compare/compare-views.ts';

/** Any two views side by side: requests, and what the model would see behind each compaction. */
export function CompareView({ inspected, step }: StepViewProps) {
  const choices = useMemo(() => choicesOf(inspected), [inspected]);
  const [chosenLeft, setLeft] = useState<string>();
  const left = chosenLeft ?? choiceBefore(inspected, step);
  const [right, setRight] = useState<string>();
  const rightValue = right ?? `step:${step}`;
  const compared = useMemo(
    () => compareViews(inspected, choiceOf(left), choiceOf(rightValue)),
    [inspected, left, rightValue],
  );
  const changed = compared.rows.filter(({ state }) => state !== 'same');
  const [isWhole, setWhole] = useState(false);
  return (
    <div className="flex h-full flex-col gap-2 p-4">
      <div className="grid gap-2 sm:grid-cols-2">
        <Select label="Left" value={left} choices={choices} onChange={setLeft} />
        <Select label="Right" value={rightValue} choices={choices} onChange={setRight} />
      </div>
      <p className="text-sm text-ink-soft">
        {formatTokens(compared.left.estimatedTokens, true)} and{' '}
        {formatTokens(compared.right.estimatedTokens, true)} tokens; {formatCount(changed.length)} of{' '}
        {formatCount(compared.rows.length)} places differ.
        <label className="ms-3 inline-flex items-center gap-1">
          <input type="checkbox" checked={isWhole} onChange={({ target }) => setWhole(target.checked)} /> Show
          what is the same
        </label>
      </p>
      <VList
        data={isWhole ? compared.rows : changed}
        className="min-h-0 flex-1"
        tabIndex={0}
        aria-label="Differences"
      >
        {(row, at) => <Row key={at} row={row} />}
      </VList>
    </div>
  );
}

/** What a request is compared with unless somebody says so: the one before it, or what there was before any compaction. */
function choiceBefore({ passes, steps }: Inspected, step: StepIndex): string {
  const before = step === 'next' ? steps.length - 1 : step - 1;
  return before < 0 || (step === 'next' && passes.length > 0) ? 'pass:' : `step:${before}`;
}

function choicesOf({
  steps,
  passes,
}: Inspected): readonly { readonly value: string; readonly label: string }[] {
  return [
    { value: 'step:next', label: 'The next request' },
    { value: 'pass:', label: 'Before any compaction' },
    ...passes.map(({ id, name }) => ({ value: `pass:${id}`, label: `Behind ${name}` })),
    ...steps.map((_, at) => ({ value: `step:${at}`, label: `Request ${at + 1}` })),
  ];
}

function choiceOf(value: string): ViewChoice {
  const rest = value.slice(5);
  if (value.startsWith('pass:')) return { pass: rest === '' ? null : rest };
  return { step: rest === 'next' ? 'next' : Number(rest) };
}

const tones: Readonly<Record<ViewRow['state'], string>> = {
  same: 'border-l-line',
  changed: 'border-l-warn',
  'only-left': 'border-l-bad',
  'only-right': 'border-l-good',
};

function Row({ row: { state, left, right } }: { readonly row: ViewRow }) {
  return (
    <div
      className={clsx(
        'my-0.5 grid grid-cols-2 gap-2 border-l-4 bg-ground-soft px-2 py-1 text-sm',
        tones[state],
      )}
    >
      <Side item={left} absent="only at the right" />
      <Side item={right} absent="only at the left" />
    </div>
  );
}

function Side({ item, absent }: { readonly item: ViewRow['left']; readonly absent: string }) {
  if (!item) return <p className="text-xs text-ink-faint">({absent})</p>;
  const isEntry = item.type === 'entry';
  const text = isEntry
    ? messageText(item.entry)
    : item.item.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
  const changes =
    isEntry && item.changes.length > 0
      ? `, ${item.changes.length === 1 ? '1 change' : `${item.changes.length} changes`}`
      : '';
  return (
    <div className="min-w-0">
      <p className="text-xs text-ink-faint">
        {isEntry ? `m${item.entry.ordinal} ${item.entry.role}` : 'summary'}, {formatTokens(item.tokens, true)}
        {changes}
      </p>
      <p dir="auto" className="line-clamp-3 break-words">
        {readableText(text.slice(0, 600))}
      </p>
    </div>
  );
}
