import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/notice.tsx';
import { toastFailure } from '../../parts/popups/toast.ts';
import { useContextActions } from '../../data/context/context-actions.ts';
import { useLocation } from 'wouter';
import { useSessionActions } from '../../data/sessions.ts';
import { visibleText } from '../../parts/visible-text.ts';
import type { ContextMeterProps } from './context-meter.tsx';
import type { ContextActions } from '../../data/context/context-actions.ts';
import type { Trouble } from '../../data/conversation/state.ts';

/** What went wrong, why, and what can be done about it; until it is dismissed or the agent goes on. */
export function TroubleBanner({ conversation, live }: ContextMeterProps) {
  const { trouble, session } = conversation;
  const actions = useContextActions(session.id, live);
  const { create } = useSessionActions();
  const [, navigate] = useLocation();
  if (!trouble) return null;
  const { title, detail, canRetry, suggestsNewSession } = trouble;
  const { label, act } = retries[trouble.type];
  const startAnother = (): void =>
    void toastFailure('No session could be made', async () => navigate(`/sessions/${(await create()).id}`));
  return (
    <div className="mx-auto w-full max-w-3xl py-2 max-md:px-2">
      <Notice
        tone="bad"
        title={title}
        actions={
          <>
            {canRetry && (
              <Button isSmall onClick={() => void toastFailure(`${label} did not work`, () => act(actions))}>
                {label}
              </Button>
            )}
            {suggestsNewSession && (
              <Button isSmall onClick={startAnother}>
                New session
              </Button>
            )}
            <Button isSmall look="ghost" onClick={live.dismissTrouble}>
              Dismiss
            </Button>
          </>
        }
      >
        <span dir="auto">{visibleText(detail)}</span>
      </Notice>
    </div>
  );
}

interface Retry {
  readonly label: string;
  readonly act: (actions: ContextActions) => Promise<unknown>;
}

const resume: Retry = { label: 'Try again', act: (actions) => actions.resume() };

const retries: Readonly<Record<Trouble['type'], Retry>> = {
  model: resume,
  limit: resume,
  broken: resume,
  compaction: { label: 'Compact again', act: (actions) => actions.compact({}) },
  'cannot-fit': {
    label: 'Compact and try again',
    async act(actions) {
      await actions.compact({});
      await actions.resume();
    },
  },
};
