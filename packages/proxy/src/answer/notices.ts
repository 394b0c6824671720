import type { Attempt } from './attempt.ts';

/** What a client is told of a compaction inside its answer, where its route says so. */
export interface Notice {
  readonly type: 'comment' | 'content';
  readonly text: string;
}

const texts = {
  before: '✅ Context compacted.\n\n',
  restart: '\n\n⚙️ Compacting conversation history…\n✅ Context compacted, continuing…\n\n',
  end: '\n\n⚙️ The answer ends here: the context window is full.',
} as const;

const untold: ReadonlySet<string> = new Set(['none', 'replayed', 'client-compaction']);

/** `undefined` where nothing was compacted, or nothing is told. */
export function noticeOf({ ask, managed }: Attempt, when: keyof typeof texts): Notice | undefined {
  const { notices = 'none' } = ask.route;
  if (notices === 'none' || typeof managed === 'string') return undefined;
  const { action } = managed;
  if (when === 'before' && untold.has(action)) return undefined;
  const { before, final } = managed.step.report.tokens;
  return notices === 'content'
    ? { type: 'content', text: texts[when] }
    : when === 'end'
      ? { type: 'comment', text: 'context full: the answer ends here' }
      : { type: 'comment', text: `context ${action}: ${before} -> ${final} tokens` };
}
