import { Dialog } from '../../parts/popups/dialog.tsx';
import { FailureNotice, Loading } from '../../parts/notice.tsx';
import { formatCount } from '../../parts/format.ts';
import { partsText, PlainMessage, wireText } from './plain-message.tsx';
import { Tabs } from '@base-ui/react/tabs';
import { useComparedViews, useRangeMessages } from '../../data/context/replaced.ts';
import type { MessageRange } from '../../data/context/replaced.ts';
import type { Compaction, ShownMessage } from '../../data/types.ts';

export interface ReplacedDialogProps {
  readonly card: Compaction;
  readonly sessionId: string;
  readonly onClose: () => void;
}

const tab =
  'rounded-md px-3 py-1 text-sm text-ink-soft hover:bg-ground-strong data-active:bg-accent-soft data-active:text-ink';

/** What a compaction took away: the messages themselves, and what the model saw before and sees now. */
export function ReplacedDialog({ card, sessionId, onClose }: ReplacedDialogProps) {
  const { range } = card;
  return (
    <Dialog isOpen isWide onClose={onClose} title="What was replaced" about={aboutRange(range)}>
      <Tabs.Root defaultValue={range ? 'messages' : 'views'}>
        <Tabs.List aria-label="What to show" className="mb-3 flex gap-1">
          {range && (
            <Tabs.Tab value="messages" className={tab}>
              Messages
            </Tabs.Tab>
          )}
          <Tabs.Tab value="views" className={tab}>
            What the model sees
          </Tabs.Tab>
        </Tabs.List>
        {range && (
          <Tabs.Panel value="messages">
            <Messages sessionId={sessionId} range={range} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="views">
          <Views sessionId={sessionId} card={card} />
        </Tabs.Panel>
      </Tabs.Root>
    </Dialog>
  );
}

function aboutRange(range: MessageRange | null): string {
  if (!range) return 'No messages were summarised: old output was pruned where it stands.';
  return `Messages m${range.first} to m${range.end - 1} of the history. They are all still there; the model sees the summary in their place.`;
}

function Messages({ sessionId, range }: { readonly sessionId: string; readonly range: MessageRange }) {
  const read = useRangeMessages(sessionId, range);
  if (read.state === 'loading') return <Loading what="the messages" />;
  if (read.state === 'failed') return <FailureNotice failure={read.failure} />;
  const { messages, left } = read.value;
  return (
    <>
      <ol className="flex flex-col gap-2">
        {messages.map(({ id, ordinal, role, parts }) => (
          <PlainMessage key={id} place={`m${ordinal}`} role={role} text={partsText(parts)} />
        ))}
      </ol>
      {left > 0 && (
        <p className="pt-2 text-sm text-ink-soft">
          And {formatCount(left)} more, in the conversation itself.
        </p>
      )}
    </>
  );
}

function Views({ sessionId, card }: { readonly sessionId: string; readonly card: Compaction }) {
  const compared = useComparedViews(sessionId, card);
  if (compared.state === 'loading') return <Loading what="both views" />;
  if (compared.state === 'failed') return <FailureNotice failure={compared.failure} />;
  const { before, now } = compared.value;
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <View title="Before" messages={before} />
      <View title="After" messages={now} />
    </div>
  );
}

function View({ title, messages }: { readonly title: string; readonly messages: readonly ShownMessage[] }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="pb-1 text-sm font-semibold">
        {title}: {formatCount(messages.length)} messages
      </h3>
      <ol className="flex flex-col gap-2">
        {messages.map(({ ordinal, isEdited, isPinned, message }, index) => {
          const { role, text } = wireText(message);
          const notes = [...(isPinned ? ['pinned'] : []), ...(isEdited ? ['edited'] : [])];
          const place = ordinal === null ? 'written by the program' : `m${ordinal}`;
          return <PlainMessage key={index} place={place} role={role} text={text} note={notes.join(', ')} />;
        })}
      </ol>
    </section>
  );
}
