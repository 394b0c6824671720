import { Brain } from 'lucide-react';
import { Collapsible } from './collapsible.tsx';
import { readableText } from '../../parts/visible-text.ts';

interface ReasoningPartProps {
  /** Its recall id. */
  readonly name: string;
  readonly text: string;
  readonly isOpen: boolean;
}

/** What the model thought: its first line, and the rest for who wants it. */
export function ReasoningPart({ name, text, isOpen }: ReasoningPartProps) {
  const [first = ''] = text.trim().split('\n');
  return (
    <Collapsible
      name={name}
      className="rounded-lg border border-line bg-ground-soft px-3 py-1.5 text-sm text-ink-soft"
      summary={
        <summary className="flex items-center gap-2">
          <Brain size={14} aria-hidden className="shrink-0" />
          <span className="shrink-0 font-medium">{isOpen ? 'Thinks' : 'Thought'}</span>
          <span dir="auto" className="min-w-0 truncate">
            {readableText(first.slice(0, 300))}
          </span>
        </summary>
      }
    >
      <div dir="auto" className="pt-2 break-words whitespace-pre-wrap">
        {readableText(text)}
      </div>
    </Collapsible>
  );
}
