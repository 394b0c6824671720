import { Brain } from 'lucide-react';

export interface ReasoningPartProps {
  readonly text: string;
  readonly isOpen: boolean;
}

/** What the model thought: its first line, and the rest for who wants it. */
export function ReasoningPart({ text, isOpen }: ReasoningPartProps) {
  const [first = ''] = text.trim().split('\n');
  return (
    <details className="rounded-lg border border-line bg-ground-soft px-3 py-1.5 text-sm text-ink-soft">
      <summary className="flex items-center gap-2">
        <Brain size={14} aria-hidden className="shrink-0" />
        <span className="shrink-0 font-medium">{isOpen ? 'Thinks' : 'Thought'}</span>
        <span dir="auto" className="min-w-0 truncate">
          {first}
        </span>
      </summary>
      <div dir="auto" className="pt-2 break-words whitespace-pre-wrap">
        {text}
      </div>
    </details>
  );
}
