import { Button } from '../../parts/button.tsx';
import type { Failure } from '../../data/loadable.ts';

export interface OlderMessagesProps {
  readonly isLoading: boolean;
  readonly failure: Failure | null;
  readonly onRetry: () => Promise<void>;
}

/** Says, over the top of the conversation, that older messages are on their way, or why not. */
export function OlderMessages({ isLoading, failure, onRetry }: OlderMessagesProps) {
  if (!isLoading && !failure) return null;
  return (
    <div className="absolute top-2 left-1/2 flex max-w-[90%] -translate-x-1/2 items-center gap-2 rounded-lg border border-line bg-ground-raised px-3 py-1 text-xs text-ink-soft shadow">
      {failure ? (
        <>
          <span role="alert">Older messages could not be loaded: {failure.detail}</span>
          <Button isSmall onClick={() => void onRetry()}>
            Try again
          </Button>
        </>
      ) : (
        <span>Loading older messages …</span>
      )}
    </div>
  );
}
