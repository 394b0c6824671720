import { clsx } from 'clsx';
import { diffLines } from 'diff';

export interface EditDiffProps {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

const marks = { added: '+', removed: '-', same: ' ' };
const tones = { added: 'bg-good-soft text-good', removed: 'bg-bad-soft text-bad', same: 'text-ink-soft' };

/** What an edit changes, line by line. */
export function EditDiff({ path, before, after }: EditDiffProps) {
  const lines = diffLines(before, after).flatMap(({ added, removed, value }) => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    return value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ kind, text }) as const);
  });
  return (
    <figure className="min-w-0">
      <figcaption dir="auto" className="truncate font-mono text-xs text-ink-faint">
        {path}
      </figcaption>
      <pre
        tabIndex={0}
        aria-label={`Change of ${path}`}
        className="max-h-96 overflow-auto rounded-md border border-line bg-ground py-1 font-mono text-xs"
      >
        {lines.map(({ kind, text }, at) => (
          <div key={at} className={clsx('px-2 break-words whitespace-pre-wrap', tones[kind])}>
            {marks[kind]} {text}
          </div>
        ))}
      </pre>
    </figure>
  );
}
