import { CopyButton } from '../../parts/text/copy-button.tsx';

export interface CodeLinesProps {
  /** What they are for, shown above them. */
  readonly label: string;
  readonly text: string;
}

/** Lines to copy as they are. */
export function CodeLines({ label, text }: CodeLinesProps) {
  return (
    <figure className="min-w-0">
      <figcaption className="flex items-center justify-between gap-2 text-xs text-ink-soft">
        {label}
        <CopyButton text={text} label={`Copy: ${label}`} />
      </figcaption>
      <pre
        tabIndex={0}
        aria-label={label}
        className="overflow-x-auto rounded-md border border-line bg-ground-soft p-2 font-mono text-xs"
      >
        {text}
      </pre>
    </figure>
  );
}
