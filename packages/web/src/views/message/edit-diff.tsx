import { clsx } from 'clsx';
import { diffLines } from 'diff';
import { formatCount } from '../../parts/format.ts';
import { useMemo, useState } from 'react';
import { visibleText } from '../../parts/visible-text.ts';
import type { Change, Edit } from './edits.ts';

export interface EditDiffProps {
  readonly change: Change;
}

type LineKind = 'added' | 'removed' | 'same';

interface DiffLine {
  readonly kind: LineKind;
  readonly text: string;
}

const marks: Readonly<Record<LineKind, string>> = { added: '+', removed: '-', same: ' ' };
const tones: Readonly<Record<LineKind, string>> = {
  added: 'bg-good-soft text-good',
  removed: 'bg-bad-soft text-bad',
  same: 'text-ink-soft',
};

const shownLines = 400;
const longestLine = 2_000;
/** Two texts with more differences are shown as one that went and one that came. */
const mostChanges = 2_000;

/** What an edit changes, line by line. */
export function EditDiff({ change }: EditDiffProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => linesOf(change), [change]);
  const shown = isWhole ? lines : lines.slice(0, shownLines);
  const name = change.path === '' ? 'files' : change.path;
  return (
    <figure className="min-w-0">
      <figcaption dir="auto" className="font-mono text-xs break-all text-ink-faint">
        {visibleText(name)}
      </figcaption>
      <pre
        tabIndex={0}
        aria-label={`Change of ${name}`}
        className="max-h-96 overflow-auto rounded-md border border-line bg-ground py-1 font-mono text-xs"
      >
        {shown.map(({ kind, text }, at) => (
          <div key={at} dir="ltr" className={clsx('px-2 break-words whitespace-pre-wrap', tones[kind])}>
            {marks[kind]} {visibleText(text.slice(0, longestLine))}
            {text.length > longestLine && ` … ${text.length - longestLine} more characters`}
          </div>
        ))}
      </pre>
      {shown.length < lines.length && (
        <button
          type="button"
          data-opens
          className="mt-1 text-xs text-accent underline"
          onClick={() => setWhole(true)}
        >
          Show {formatCount(lines.length - shown.length)} more lines
        </button>
      )}
    </figure>
  );
}

function linesOf(change: Change): readonly DiffLine[] {
  if (change.type === 'patch') return patchLines(change.patch);
  return change.edits.flatMap((edit, at) => [
    ...(at > 0 ? [{ kind: 'same', text: '⋯' } as const] : []),
    ...editLines(edit),
  ]);
}

function editLines({ before, after }: Edit): readonly DiffLine[] {
  const pieces = diffLines(before, after, { maxEditLength: mostChanges }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  return pieces.flatMap(({ added, removed, value }) => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    return value === '' ? [] : splitLines(value).map((text) => ({ kind, text }) as const);
  });
}

const kinds: Readonly<Record<string, LineKind>> = { '+': 'added', '-': 'removed' };

function patchLines(patch: string): readonly DiffLine[] {
  return splitLines(patch).map((line) => {
    const kind = /^(?:\+\+\+|---) /.test(line) ? undefined : kinds[line[0] ?? ''];
    return { kind: kind ?? 'same', text: kind ? line.slice(1) : line };
  });
}

function splitLines(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}
