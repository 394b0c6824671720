import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/popups/dialog.tsx';
import { formatCount, formatTime, formatTokens } from '../../parts/format.ts';
import { Link } from 'wouter';
import { toastFailure } from '../../parts/popups/toast.ts';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { readableText } from '../../parts/visible-text.ts';
import type { ProxyConversation } from '../../data/types.ts';
import type { ProxyConversations } from '../../data/proxy.ts';

/** Conversations of clients, each with the way into the inspector. */
export function ConversationsTable({ conversations, hasMore, loadMore, remove }: ProxyConversations) {
  const [leaving, setLeaving] = useState<ProxyConversation | null>(null);
  if (conversations.length === 0)
    return (
      <p className="text-sm text-ink-soft">
        None yet. As soon as a client asks through a route, its conversation stands here and opens in the
        inspector.
      </p>
    );
  return (
    <>
      <ul className="flex flex-col divide-y divide-line rounded-xl border border-line">
        {conversations.map((conversation) => (
          <Row key={conversation.id} conversation={conversation} onDelete={setLeaving} />
        ))}
      </ul>
      {hasMore && <Button onClick={loadMore}>Load older conversations</Button>}
      <Dialog
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        title="Delete this conversation?"
        about="What the proxy keeps of it goes. A client that goes on with it sends its whole history again: then it is there again."
      >
        <div className="flex justify-end gap-2">
          <Button onClick={() => setLeaving(null)}>Keep it</Button>
          <Button
            look="danger"
            onClick={() => {
              const { id } = leaving ?? { id: '' };
              setLeaving(null);
              void toastFailure('It could not be deleted', () => remove(id));
            }}
          >
            Delete
          </Button>
        </div>
      </Dialog>
    </>
  );
}

interface RowProps {
  readonly conversation: ProxyConversation;
  readonly onDelete: (conversation: ProxyConversation) => void;
}

function Row({ conversation, onDelete }: RowProps) {
  const { id, title, route, model, label, messageCount, requestCount, compactionCount } = conversation;
  const { lastUsage, updatedAtMs } = conversation;
  const name = title === '' ? `Conversation of ${formatTime(conversation.createdAtMs)}` : readableText(title);
  const facts = [
    route,
    model,
    ...(label === null ? [] : [label]),
    `${formatCount(messageCount)} messages`,
    `${formatCount(requestCount)} requests`,
    ...(compactionCount > 0 ? [`${formatCount(compactionCount)} compactions`] : []),
    ...(lastUsage ? [`${formatTokens(lastUsage.inputTokens)} tokens last`] : []),
    formatTime(updatedAtMs),
  ];
  return (
    <li className="flex items-center gap-2 px-3 py-2">
      <div className="min-w-0 flex-1">
        <Link
          href={`/proxy/conversations/${encodeURIComponent(id)}/inspector`}
          className="block truncate font-medium text-accent underline"
        >
          <span dir="auto">{name}</span>
        </Link>
        <p className="text-xs break-words text-ink-soft">{facts.join(' · ')}</p>
      </div>
      <IconButton label={`Delete ${name}`} isSmall onClick={() => onDelete(conversation)}>
        <Trash2 size={14} aria-hidden />
      </IconButton>
    </li>
  );
}
