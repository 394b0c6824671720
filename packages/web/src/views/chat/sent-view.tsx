import { Button } from '../../parts/button.tsx';
import { focusInput } from '../input/focus-input.ts';
import { readableText } from '../../parts/visible-text.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';
import type { SentMessage } from '../../data/conversation/state.ts';
import type { UserContent } from '../../data/types.ts';

interface SentViewProps {
  readonly sent: SentMessage;
  readonly live: LiveConversation;
  readonly onPutBack: (content: UserContent) => void;
}

/** A message that the server has not answered for yet, or did not take. */
export function SentView({ sent, live, onPutBack }: SentViewProps) {
  const { content, state, detail, messageId } = sent;
  const text =
    typeof content === 'string'
      ? content
      : content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('\n');
  return (
    <article className="mx-auto my-1 flex w-full max-w-3xl flex-col gap-2 rounded-xl bg-accent-soft px-4 py-2">
      <header className="text-xs text-ink-faint">
        <h2 className="inline font-semibold text-ink-soft">You</h2>{' '}
        {state === 'sending' ? 'is being sent' : ''}
      </header>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {readableText(text)}
      </p>
      {state === 'failed' && (
        <div role="alert" className="flex flex-wrap items-center gap-2 text-sm text-bad">
          <span>It was not sent: {detail}</span>
          <Button isSmall onClick={() => void live.send(content, messageId)}>
            Try again
          </Button>
          <Button
            isSmall
            onClick={() => {
              live.dropSent(messageId);
              onPutBack(content);
              focusInput();
            }}
          >
            Back into the input
          </Button>
          <Button isSmall look="ghost" onClick={() => live.dropSent(messageId)}>
            Drop it
          </Button>
        </div>
      )}
    </article>
  );
}
