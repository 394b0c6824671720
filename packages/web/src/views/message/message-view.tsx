import { BranchArrows } from './branch-arrows.tsx';
import { CallPart, ResultView } from './call-part.tsx';
import { clsx } from 'clsx';
import { formatTime } from '../../parts/format.ts';
import { MediaPart } from './media-part.tsx';
import { MessageActions } from './message-actions.tsx';
import { Pin } from 'lucide-react';
import { Pre } from '../../parts/text/pre.tsx';
import { ReasoningPart } from './reasoning-part.tsx';
import { TextPart, WrittenText } from './text-part.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import type { Branches } from '../../data/session/branches.ts';
import type { HistoryMessage, MessagePart } from '../../data/types.ts';
import type { LiveCall } from '../../data/conversation/state.ts';
import type { MessageDeeds } from './message-actions.tsx';
import type { ReactNode } from 'react';
import type { Results } from './call-results.ts';

interface MessageViewProps {
  readonly sessionId: string;
  readonly message: HistoryMessage;
  readonly results: Results;
  readonly calls: Readonly<Record<string, LiveCall>>;
  readonly isPinned: boolean;
  /** Where there are other versions of it. */
  readonly branches: Branches | undefined;
  /** The page was opened at this message. */
  readonly isMarked: boolean;
  readonly deeds: MessageDeeds;
  /** Stands in the place of what it says while it is written anew. */
  readonly editor: ReactNode;
}

const speakers: Readonly<Record<HistoryMessage['role'], string>> = {
  user: 'You',
  assistant: 'Agent',
  system: 'Throughline',
  tool: 'Tool',
};

export function MessageView(props: MessageViewProps) {
  const { message, isPinned, isMarked, branches, deeds, editor } = props;
  const isUser = message.role === 'user';
  return (
    <article
      id={`m${message.ordinal}`}
      tabIndex={-1}
      data-message={message.ordinal}
      className={clsx(
        'group mx-auto my-1 flex w-full max-w-3xl flex-col gap-2 rounded-xl px-4 py-2 outline-offset-[-2px]',
        isUser && 'bg-accent-soft',
        isMarked && 'outline-2 outline-accent',
      )}
    >
      <header className="flex min-h-7 items-center gap-2 text-xs text-ink-faint">
        <h2 className="font-semibold text-ink-soft">{speakers[message.role]}</h2>
        {message.createdAtMs > 0 && <span>{formatTime(message.createdAtMs)}</span>}
        {message.model !== undefined && <span className="truncate">{message.model}</span>}
        {isPinned && (
          <span className="inline-flex items-center gap-1 text-accent">
            <Pin size={12} aria-hidden /> pinned
          </span>
        )}
        <span className="flex-1" />
        {branches && <BranchArrows branches={branches} place={`m${message.ordinal}`} />}
        {!message.isOpen && !editor && <MessageActions message={message} isPinned={isPinned} deeds={deeds} />}
      </header>
      {editor ?? message.parts.map((part, at) => <PartView key={at} {...props} part={part} at={at} />)}
      <MessageEnd message={message} />
    </article>
  );
}

interface PartViewProps extends MessageViewProps {
  readonly part: MessagePart;
  readonly at: number;
}

function PartView({ sessionId, message, results, calls, part, at }: PartViewProps) {
  const isOpen = message.isOpen && at === message.parts.length - 1;
  if (part.type === 'text')
    return message.role === 'user' ? (
      <WrittenText text={part.text} />
    ) : (
      <TextPart text={part.text} isOpen={isOpen} />
    );
  if (part.type === 'reasoning')
    return part.text.trim() === '' ? null : (
      <ReasoningPart name={`m${message.ordinal}.${at}`} text={part.text} isOpen={isOpen} />
    );
  if (part.type === 'call')
    return (
      <CallPart
        sessionId={sessionId}
        call={part}
        result={results.get(part.callId)}
        live={calls[part.callId]}
      />
    );
  if (part.type === 'result')
    return (
      <ResultView
        sessionId={sessionId}
        result={{ part, mark: message.marks[at] ?? {}, recallId: `m${message.ordinal}.${at}` }}
      />
    );
  if (part.type === 'media') return <MediaPart sessionId={sessionId} media={part} />;
  return (
    <details className="text-sm text-ink-soft">
      <summary>Something that only the model reads</summary>
      <Pre label="As it is stored" text={JSON.stringify(part.value, null, 2)} />
    </details>
  );
}

/** Where it did not come to its natural end, it says so. */
function MessageEnd({ message: { error, meta, finishReason } }: Pick<MessageViewProps, 'message'>) {
  const isCutOff = meta?.['isCutOff'] === true;
  if (error === undefined && !isCutOff) return null;
  const reason = error ?? finishReason;
  const why = reason === undefined ? '' : `: ${visibleText(reason)}`;
  return (
    <p dir="auto" className="text-xs break-words text-warn">
      {finishReason === 'cancelled' ? 'Stopped' : `Cut off${why.replace(/\.$/, '')}`}. What was written until
      then stays.
    </p>
  );
}
