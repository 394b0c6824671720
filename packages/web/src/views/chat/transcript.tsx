import { CompactionCard } from '../context/compaction-card.tsx';
import { shownMessages } from '../../data/conversation/history.ts';
import { useMemo } from 'react';
import type { ConversationState } from '../../data/conversation/state.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';

export interface TranscriptProps {
  readonly conversation: ConversationState;
  readonly live: LiveConversation;
}

export function Transcript({ conversation, live }: TranscriptProps) {
  const { messages, answer, compactions, session } = conversation;
  const shown = useMemo(() => shownMessages({ messages, answer }), [messages, answer]);
  return (
    <div
      role="log"
      aria-live="off"
      aria-label="Conversation"
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto p-4"
    >
      {shown.map((message) => (
        <article key={message.ordinal} className="mx-auto max-w-3xl py-2">
          <h2 className="text-xs text-ink-faint">{message.role}</h2>
          {message.parts.map((part, at) => (
            <p key={at} dir="auto" className="whitespace-pre-wrap">
              {part.type === 'text' || part.type === 'reasoning' ? part.text : part.type}
            </p>
          ))}
        </article>
      ))}
      {compactions.map((card) => (
        <div key={card.id} className="mx-auto max-w-3xl">
          <CompactionCard card={card} live={live} sessionId={session.id} />
        </div>
      ))}
    </div>
  );
}
