import { Button } from '../../parts/button.tsx';
import type { LoadDirection, LoadFailure } from '../../data/conversation/state.ts';

interface LoadNoticeProps {
  readonly direction: LoadDirection;
  readonly isLoading: boolean;
  readonly failure: LoadFailure | null;
}

const looks: Readonly<Record<LoadDirection, { readonly name: string; readonly place: string }>> = {
  older: { name: 'Older', place: 'top-2' },
  newer: { name: 'Newer', place: 'bottom-14' },
};

/** Says, over the end of the conversation where they belong, that messages are on their way, or why not. */
export function LoadNotice({ direction, isLoading, failure }: LoadNoticeProps) {
  if (!isLoading && !failure) return null;
  const { name, place } = looks[direction];
  return (
    <div
      className={`absolute ${place} left-1/2 flex max-w-[90%] -translate-x-1/2 items-center gap-2 rounded-lg border border-line bg-ground-raised px-3 py-1 text-xs text-ink-soft shadow`}
    >
      {failure ? (
        <>
          <span role="alert">
            {name} messages could not be loaded: {failure.detail}
          </span>
          <Button isSmall onClick={() => void failure.retry()}>
            Try again
          </Button>
        </>
      ) : (
        <span>Loading {direction} messages …</span>
      )}
    </div>
  );
}
