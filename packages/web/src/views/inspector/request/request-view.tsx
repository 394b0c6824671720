import { clsx } from 'clsx';
import { Button } from '../../../parts/button.tsx';
import { CurlDialog } from './curl-dialog.tsx';
import { fatesAt } from '../../../inspect/fates.ts';
import { fateText, isTouched } from './fate-words.ts';
import { formatTokens } from '../../../parts/format.ts';
import { itemRows } from './item-rows.ts';
import { ItemDetails } from './item-details.tsx';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { VList } from 'virtua';
import { readableText } from '../../../parts/visible-text.ts';
import { requestAt, shareScale } from '../../../inspect/request-at.ts';
import type { ItemRow } from './item-rows.ts';
import type { StepViewProps } from './step-view.ts';
import type { VListHandle } from 'virtua';

const filters = [
  { name: 'all', label: 'All messages' },
  { name: 'sent', label: 'What is sent' },
  { name: 'gone', label: 'What is gone' },
] as const;

type Filter = (typeof filters)[number]['name'];

/** Every message of the history with what became of it, and what was written in the place of those that are gone. */
export function RequestView(props: StepViewProps) {
  const { inspected, place } = props;
  const step = useDeferredValue(props.step);
  const [filter, setFilter] = useState<Filter>('all');
  const [isCurlOpen, setCurlOpen] = useState(false);
  const rows = useMemo(
    () => itemRows(inspected, step, fatesAt(inspected, step)).filter((row) => isWanted(row, filter)),
    [inspected, step, filter],
  );
  const scale = shareScale(inspected, requestAt(inspected, step));
  const list = useRef<VListHandle>(null);
  const wanted = Number(/^m?(\d{1,9})/.exec(place ?? '')?.[1] ?? NaN);
  useEffect(() => {
    const at = rows.findIndex((row) => row.type === 'message' && row.fate.ordinal === wanted);
    if (at >= 0) list.current?.scrollToIndex(at, { align: 'center' });
    // Only when it is opened: whoever scrolls on is left alone.
  }, [wanted]);
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-wrap items-center gap-x-1 gap-y-2 px-4 py-2">
        <div role="group" aria-label="Which messages" className="flex gap-1">
          {filters.map(({ name, label }) => (
            <Button
              key={name}
              isSmall
              look={filter === name ? 'primary' : 'plain'}
              aria-pressed={filter === name}
              onClick={() => setFilter(name)}
            >
              {label}
            </Button>
          ))}
        </div>
        <span className="flex-1" />
        <Button isSmall onClick={() => setCurlOpen(true)}>
          As curl
        </Button>
      </div>
      <VList
        ref={list}
        data={rows}
        className="min-h-0 flex-1 px-2 pb-4"
        tabIndex={0}
        aria-label="Messages of this request"
      >
        {(row) => (
          <Row
            key={row.key}
            row={row}
            isMarked={row.type === 'message' && row.fate.ordinal === wanted}
            scale={scale}
            {...props}
            step={step}
          />
        )}
      </VList>
      {isCurlOpen && <CurlDialog {...props} step={step} onClose={() => setCurlOpen(false)} />}
    </div>
  );
}

function isWanted(row: ItemRow, filter: Filter): boolean {
  if (filter === 'all') return true;
  const isSent = row.type === 'written' || row.fate.state === 'shown';
  const isGone =
    row.type === 'message' &&
    (row.fate.state === 'gone' || (row.fate.state === 'shown' && row.fate.parts.some(isTouched)));
  return filter === 'sent' ? isSent : isGone;
}

const tones = {
  shown: 'border-l-good',
  changed: 'border-l-warn',
  gone: 'border-l-bad',
  hidden: 'border-l-line-strong',
  later: 'border-l-line opacity-70',
  written: 'border-l-accent',
};

function toneOf(row: ItemRow): keyof typeof tones {
  if (row.type === 'written') return 'written';
  const { fate } = row;
  return fate.state === 'shown' && fate.parts.some(isTouched) ? 'changed' : fate.state;
}

/** As it was said, and where that is another number as it is sent. */
function tokensText(row: ItemRow, scale: number): string {
  if (row.type === 'written') return formatTokens(row.tokens * scale, true);
  const { fate } = row;
  const said = formatTokens(fate.tokens * scale, true);
  const isOther = fate.state === 'shown' && fate.parts.some(isTouched);
  return isOther ? `${said} → ${formatTokens(fate.shownTokens * scale)}` : said;
}

interface RowProps extends StepViewProps {
  readonly row: ItemRow;
  readonly isMarked: boolean;
  /** Its tokens are a share of what was counted. */
  readonly scale: number;
}

function Row({ row, isMarked, scale, ...props }: RowProps) {
  const words = row.type === 'written' ? 'Written in the place of what is gone' : fateText(row.fate);
  return (
    <details
      data-row={row.key}
      className={clsx(
        'my-0.5 rounded-r-md border-l-4 bg-ground-soft text-sm',
        tones[toneOf(row)],
        isMarked && 'outline-2 outline-accent',
      )}
    >
      <summary className="grid grid-cols-[4rem_5rem_1fr_auto] items-baseline gap-2 px-2 py-1 max-md:grid-cols-[3rem_1fr_auto]">
        <span className="font-mono text-xs text-ink-faint">{row.place}</span>
        <span className="truncate text-xs font-medium text-ink-soft max-md:hidden">{row.role}</span>
        <span className="min-w-0">
          <span dir="auto" className="block truncate">
            {readableText(row.excerpt)}
          </span>
          <span className="block text-xs text-ink-soft">{words}</span>
        </span>
        <span className="text-xs text-ink-faint tabular-nums">{tokensText(row, scale)}</span>
      </summary>
      <ItemDetails row={row} {...props} />
    </details>
  );
}
