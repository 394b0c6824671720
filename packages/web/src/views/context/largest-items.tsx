import { FailureNotice, Loading } from '../../parts/notice.tsx';
import { formatTokens } from '../../parts/format.ts';
import { IconButton } from '../../parts/button.tsx';
import { itemTitle } from './category-words.ts';
import { Pin, PinOff } from 'lucide-react';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useContextItems } from '../../data/context/context-items.ts';
import { useState } from 'react';
import { readableText } from '../../parts/visible-text.ts';
import type { ContextActions } from '../../data/context/context-actions.ts';
import type { ContextItem, ContextUsage } from '../../data/types.ts';

interface LargestItemsProps {
  readonly sessionId: string;
  readonly usage: ContextUsage;
  readonly pins: readonly number[];
  readonly actions: ContextActions;
}

const few = 8;
const many = 100;

/** The pieces of the next request, the largest first; messages can be pinned. */
export function LargestItems({ sessionId, usage, pins, actions }: LargestItemsProps) {
  const [limit, setLimit] = useState(few);
  const items = useContextItems(sessionId, usage, limit);
  return (
    <section aria-label="Largest pieces of the next request" className="flex flex-col gap-1">
      <h3 className="font-semibold">Largest pieces</h3>
      {items.state === 'loading' && <Loading what="the pieces" />}
      {items.state === 'failed' && <FailureNotice failure={items.failure} />}
      {items.state === 'ready' && (
        <>
          <ol className="flex flex-col">
            {items.value.items.map((item, at) => (
              <Item
                key={`${item.type} ${item.name} ${item.ordinal ?? at}`}
                item={item}
                isPinned={item.ordinal !== null && pins.includes(item.ordinal)}
                isEstimate={usage.estimated}
                actions={actions}
              />
            ))}
          </ol>
          {items.value.others.count > 0 && (
            <p className="flex justify-between text-xs text-ink-faint tabular-nums">
              {limit < many ? (
                <button type="button" className="text-accent underline" onClick={() => setLimit(many)}>
                  {items.value.others.count} smaller ones
                </button>
              ) : (
                <span>{items.value.others.count} smaller ones</span>
              )}
              <span>{formatTokens(items.value.others.tokens, usage.estimated)}</span>
            </p>
          )}
        </>
      )}
      <Pins pins={pins} actions={actions} />
    </section>
  );
}

interface ItemProps {
  readonly item: ContextItem;
  readonly isPinned: boolean;
  readonly isEstimate: boolean;
  readonly actions: ContextActions;
}

function Item({ item, isPinned, isEstimate, actions }: ItemProps) {
  const { ordinal, excerpt, tokens, isEdited } = item;
  const title = itemTitle(item);
  return (
    <li className="flex items-center gap-2 border-t border-line py-1 first:border-0">
      <span className="min-w-0 flex-1">
        <span className="block truncate text-xs font-medium">
          {title}
          {isPinned && <span className="font-normal text-ink-faint"> · pinned</span>}
          {isEdited && <span className="font-normal text-ink-faint"> · edited</span>}
        </span>
        {excerpt !== '' && (
          <span dir="auto" className="block truncate text-xs text-ink-soft">
            {readableText(excerpt)}
          </span>
        )}
      </span>
      <span className="shrink-0 text-xs tabular-nums">{formatTokens(tokens, isEstimate)}</span>
      {ordinal !== null && (
        <PinButton ordinal={ordinal} isPinned={isPinned} title={title} actions={actions} />
      )}
    </li>
  );
}

interface PinButtonProps {
  readonly ordinal: number;
  readonly isPinned: boolean;
  readonly title: string;
  readonly actions: ContextActions;
}

function PinButton({ ordinal, isPinned, title, actions }: PinButtonProps) {
  const change = (): void =>
    void toastFailure(isPinned ? 'The pin stays' : 'It could not be pinned', () =>
      isPinned ? actions.unpin(ordinal) : actions.pin(ordinal),
    );
  const Icon = isPinned ? PinOff : Pin;
  return (
    <IconButton label={`${isPinned ? 'Unpin' : 'Pin'} ${title}`} isSmall onClick={change}>
      <Icon size={14} aria-hidden />
    </IconButton>
  );
}

function Pins({ pins, actions }: Pick<LargestItemsProps, 'pins' | 'actions'>) {
  if (pins.length === 0)
    return (
      <p className="text-xs text-ink-faint">
        Nothing is pinned. A pinned message is never compacted, pruned or truncated.
      </p>
    );
  return (
    <div className="flex flex-wrap items-center gap-1 text-xs">
      <span className="text-ink-faint">Pinned:</span>
      {pins.map((ordinal) => (
        <span key={ordinal} className="flex items-center rounded bg-ground-strong pl-2">
          m{ordinal}
          <PinButton ordinal={ordinal} isPinned title={`m${ordinal}`} actions={actions} />
        </span>
      ))}
    </div>
  );
}
