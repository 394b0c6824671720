import { aroundFound } from './around-found.ts';
import { readableText } from '../visible-text.ts';

export interface FoundTextProps {
  readonly excerpt: string;
  readonly sought: string;
}

/** Two lines of what was found, with the words that were looked for marked in them. */
export function FoundText({ excerpt, sought }: FoundTextProps) {
  const { before, hit, after } = aroundFound(excerpt, sought);
  return (
    <span dir="auto" className="line-clamp-2 text-xs break-words text-ink-soft">
      {readableText(before)}
      {hit !== '' && (
        <mark className="rounded-sm bg-warn-soft font-medium text-ink">{readableText(hit)}</mark>
      )}
      {readableText(after)}
    </span>
  );
}
