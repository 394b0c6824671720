import { Check, ChevronDown } from 'lucide-react';
import { formatCount } from '../../parts/format.ts';
import { Menu } from '../../parts/popups/menu.tsx';
import { toast, toastFailure } from '../../parts/popups/toast.ts';
import { listedName, useModels, useSwitchModel } from '../../data/models.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';
import type { MenuEntry } from '../../parts/popups/menu-popup.tsx';
import type { SessionDetail, SwitchModelAnswer } from '../../data/types.ts';

interface ModelMenuProps {
  readonly session: SessionDetail;
  readonly live: LiveConversation;
}

/** The model of a session, and a choice of others. */
export function ModelMenu({ session, live }: ModelMenuProps) {
  const models = useModels();
  const choose = useModelChoice(session.id, live);
  const names = models.state === 'ready' ? models.value.items.map(({ name }) => name) : [];
  const now = listedName(session.model ?? names[0] ?? '', names);
  return (
    <Menu
      trigger={
        <button
          type="button"
          title={now}
          className="flex min-h-8 max-w-44 min-w-0 items-center max-md:max-w-32 gap-1 rounded-lg px-2 text-xs text-ink-soft hover:bg-ground-strong"
        >
          <span className="sr-only">Model </span>
          <span dir="auto" className="truncate">
            {now}
          </span>
          <ChevronDown size={13} aria-hidden className="shrink-0" />
        </button>
      }
      entries={modelEntries(names, now, choose)}
    />
  );
}

function modelEntries(
  names: readonly string[],
  now: string,
  choose: (name: string) => void,
): readonly MenuEntry[] {
  const others = names.filter((name) => name !== now);
  const [current, ...rest]: MenuEntry[] = [now, ...others].map((name) => ({
    label: name,
    icon: <Check size={14} aria-hidden className={name === now ? '' : 'invisible'} />,
    onSelect: () => name !== now && choose(name),
  }));
  if (!current || rest.length > 0) return current ? [current, ...rest] : [];
  return [current, { label: 'No other is set up', isDisabled: true, onSelect: () => {} }];
}

/** Switches, and says what became of it. */
export function useModelChoice(sessionId: string, live: LiveConversation): (model: string) => void {
  const switchModel = useSwitchModel(sessionId);
  return (model) =>
    void toastFailure(`The session does not go on with ${model}`, async () => {
      tell(await switchModel(model), model);
      live.refresh('session', 'usage', 'compactions');
    });
}

function tell(answer: SwitchModelAnswer, model: string): void {
  if (answer.type === 'cannot-fit') {
    toast(`This session does not fit into ${model}`, {
      detail: `It needs ${formatCount(answer.requestTokens)} tokens, and ${formatCount(answer.usableTokens)} can be used. The model stays as it was.`,
      isBad: true,
    });
    return;
  }
  toast(`Now with ${model}`, {
    detail: answer.wasCompacted
      ? 'Its window is smaller: the context was compacted first. The card in the conversation says what.'
      : 'Nothing had to be compacted.',
  });
}
