import { clsx } from 'clsx';
import { CopyButton } from './copy-button.tsx';
import { useLayoutEffect, useRef, useState } from 'react';

export interface PreProps {
  readonly text: string;
  /** What it is: its name for screen readers, shown above it. */
  readonly label: string;
  readonly isBad?: boolean;
  /** Its end stays in sight while it grows. */
  readonly followsEnd?: boolean;
}

const shownLines = 400;

/** Text in which every character counts. Long ones are shown in part, until the rest is asked for. */
export function Pre({ text, label, isBad = false, followsEnd = false }: PreProps) {
  const [isWhole, setWhole] = useState(false);
  const box = useRef<HTMLPreElement>(null);
  const lines = text.split('\n');
  const isLong = lines.length > shownLines && !isWhole && !followsEnd;
  const shown = isLong ? lines.slice(0, shownLines).join('\n') : text;
  useLayoutEffect(() => {
    if (followsEnd && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [followsEnd, text]);
  return (
    <div className="min-w-0">
      <div className="flex items-center justify-between text-xs text-ink-faint">
        <span>{label}</span>
        <CopyButton text={text} />
      </div>
      <pre
        ref={box}
        dir="auto"
        tabIndex={0}
        aria-label={label}
        className={clsx(
          'max-h-80 overflow-auto rounded-md border border-line bg-ground p-2 font-mono text-xs whitespace-pre-wrap break-words',
          isBad && 'text-bad',
        )}
      >
        {shown}
      </pre>
      {isLong && (
        <button type="button" className="mt-1 text-xs text-accent underline" onClick={() => setWhole(true)}>
          Show {lines.length - shownLines} more lines
        </button>
      )}
    </div>
  );
}
