import { outcomeTrouble } from '../../data/conversation/trouble.ts';
import { visibleText } from '../../parts/visible-text.ts';
import type { RunOutcome } from '../../data/types.ts';

/** Where a run broke off: why nothing, or no more, was answered there. */
export function RunEnd({ outcome }: { readonly outcome: RunOutcome }) {
  const { title, detail } = wordsOf(outcome);
  return (
    <p className="mx-auto my-1 w-full max-w-3xl px-4 text-xs break-words text-warn" data-run-end>
      <span className="font-medium">{title}</span>
      {detail !== '' && (
        <>
          {': '}
          <bdi>{visibleText(detail)}</bdi>
        </>
      )}
    </p>
  );
}

interface Words {
  readonly title: string;
  readonly detail: string;
}

/** Words for a run that is over: what the trouble asks its reader to do was to be done then. */
function wordsOf(outcome: RunOutcome): Words {
  if (outcome.type === 'cancelled') return { title: 'Stopped', detail: '' };
  if (outcome.type === 'lost')
    return { title: 'Broken off', detail: 'the process that worked on it ended, or another one took over' };
  const { title, detail } = outcomeTrouble(outcome, 0) ?? { title: 'Ended', detail: '' };
  return { title, detail: outcome.type === 'limit' ? '' : detail };
}
