import { clsx } from 'clsx';
import { CopyButton } from './copy-button.tsx';
import { formatCount } from '../format.ts';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { visibleText } from '../visible-text.ts';

interface PreProps {
  readonly text: string;
  /** What it is: its name for screen readers, shown above it. */
  readonly label: string;
  readonly isBad?: boolean;
  /** Its end stays in sight while it grows. */
  readonly followsEnd?: boolean;
}

const shownLines = 400;
const shownChars = 40_000;

/** Text in which every character counts. Long ones are shown in part, until the rest is asked for. */
export function Pre({ text, label, isBad = false, followsEnd = false }: PreProps) {
  const [isWhole, setWhole] = useState(false);
  const box = useRef<HTMLPreElement>(null);
  const begin = useMemo(() => beginOf(text), [text]);
  const isLong = begin.length < text.length && !isWhole && !followsEnd;
  const shown = visibleText(isLong ? begin : text);
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
        role="group"
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
        <button
          type="button"
          data-opens
          className="mt-1 text-xs text-accent underline"
          onClick={() => setWhole(true)}
        >
          Show the other {formatCount(text.length - begin.length)} characters
        </button>
      )}
    </div>
  );
}

/** What is shown of a long text at first. */
function beginOf(text: string): string {
  const lines = text.slice(0, shownChars).split('\n', shownLines);
  return lines.join('\n');
}
