import { Check, CircleDashed, X } from 'lucide-react';
import { compactionDiff } from '../../inspect/compare/compaction-diff.ts';
import { formatCount, formatTokens } from '../../parts/format.ts';
import { Pre } from '../../parts/text/pre.tsx';
import { useMemo, useState } from 'react';
import { VList } from 'virtua';
import { readableText } from '../../parts/visible-text.ts';
import type { Fact, LostItem } from '../../inspect/compare/compaction-diff.ts';
import type { Inspected, InspectedPass } from '../../inspect/inspected.ts';
import type { InspectorActions } from '../../data/inspected.ts';

interface DiffViewProps {
  readonly inspected: Inspected;
  readonly pass: InspectedPass;
  readonly actions: InspectorActions | null;
}

/** One compaction: at the left what went, at the right what stands there now, below the facts that code has looked up. */
export function DiffView({ inspected, pass }: DiffViewProps) {
  const diff = useMemo(() => compactionDiff(inspected, pass), [inspected, pass]);
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-3 lg:grid-cols-2">
        <section aria-label="What went" className="min-w-0">
          <h2 className="pb-1 text-sm font-semibold">
            What went: {lostText(diff.lost)}, {formatTokens(diff.lostTokens, true)} tokens
          </h2>
          <VList
            data={diff.lost}
            style={{ height: listHeight(diff.lost.length) }}
            tabIndex={0}
            className="rounded-md border border-line"
          >
            {(item) => <Lost key={`${item.ordinal}`} item={item} />}
          </VList>
        </section>
        <section aria-label="What stands there now" className="min-w-0">
          <h2 className="pb-1 text-sm font-semibold">
            What stands there now: {formatTokens(diff.writtenTokens, true)} tokens
          </h2>
          {diff.written === '' ? (
            <p className="text-sm text-ink-soft">{withoutSummary[pass.kind]}</p>
          ) : (
            <Pre label="Summary" text={diff.written} />
          )}
        </section>
      </div>
      <Facts facts={diff.facts} />
    </div>
  );
}

/** A summary goes on from the one before it. */
function lostText(lost: readonly LostItem[]): string {
  const messages = lost.filter(({ ordinal }) => ordinal !== null).length;
  const count = messages === 1 ? '1 message' : `${formatCount(messages)} messages`;
  return messages < lost.length ? `${count} and the summary before it` : count;
}

const withoutSummary: Readonly<Record<InspectedPass['kind'], string>> = {
  compaction: 'Nothing was written in its place.',
  pruning: 'No summary: old output and long arguments were pruned, and a placeholder stands for each.',
  truncation: 'No summary: of what was too long head and tail stay.',
};

/** Height of a row that is not opened, with its line. */
const rowHeight = 29;

/** As high as it has to be for a few, and moved for many. */
const listHeight = (count: number): number => Math.min(420, count * rowHeight + 2);

function Lost({ item: { ordinal, role, text, tokens, isChanged } }: { readonly item: LostItem }) {
  return (
    <details className="border-b border-line px-2 py-1 text-sm">
      <summary className="flex gap-2">
        <span className="font-mono text-xs text-ink-faint">
          {ordinal === null ? 'summary' : `m${ordinal}`}
        </span>
        <span className="text-xs text-ink-soft">{role}</span>
        <span dir="auto" className="min-w-0 flex-1 truncate">
          {readableText(text.slice(0, 300))}
        </span>
        <span className="text-xs text-ink-faint">
          {isChanged ? 'in part, ' : ''}
          {formatTokens(tokens, true)}
        </span>
      </summary>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {readableText(text.slice(0, 20_000))}
      </p>
    </details>
  );
}

const places: Readonly<
  Record<Fact['foundIn'], { readonly label: string; readonly icon: typeof Check; readonly tone: string }>
> = {
  summary: { label: 'in the summary', icon: Check, tone: 'text-good' },
  kept: { label: 'in a message that stayed', icon: CircleDashed, tone: 'text-ink-soft' },
  missing: { label: 'only to be recalled', icon: X, tone: 'text-bad' },
};

const firstFacts = 60;

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  const [isWhole, setWhole] = useState(false);
  const found = facts.filter(({ foundIn }) => foundIn !== 'missing').length;
  const shown = isWhole ? facts : facts.slice(0, firstFacts);
  return (
    <section aria-label="Facts">
      <h2 className="pb-1 text-sm font-semibold">
        Facts in what went: {formatCount(found)} of {formatCount(facts.length)} can still be read
      </h2>
      <p className="pb-2 text-xs text-ink-soft">
        Names, paths and numbers as the engine finds them, and what the user said word for word, looked up by
        code. Whether a sentence keeps its sense no code can say.
      </p>
      <ul className="grid gap-1 text-sm sm:grid-cols-2 xl:grid-cols-3">
        {shown.map((fact, at) => (
          <FactRow key={at} fact={fact} />
        ))}
      </ul>
      {facts.length > shown.length && (
        <button type="button" className="mt-2 text-sm text-accent underline" onClick={() => setWhole(true)}>
          Show {facts.length - shown.length} more
        </button>
      )}
    </section>
  );
}

function FactRow({ fact: { kind, text, ordinal, mentions, foundIn } }: { readonly fact: Fact }) {
  const { label, icon: Icon, tone } = places[foundIn];
  return (
    <li className="flex items-start gap-1.5">
      <Icon size={14} aria-hidden className={`mt-1 shrink-0 ${tone}`} />
      <span className="min-w-0">
        <span dir="auto" className="line-clamp-2 break-words">
          {readableText(text)}
        </span>
        <span className="block text-xs text-ink-faint">
          {kind}, {label}
          {ordinal === null ? '' : `, last in m${ordinal}`}
          {mentions > 1 ? `, said ${mentions} times` : ''}
        </span>
      </span>
    </li>
  );
}
