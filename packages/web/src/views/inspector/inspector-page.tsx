import { Button } from '../../parts/button.tsx';
import { Empty, FailureNotice, Loading } from '../../parts/notice.tsx';
import { InspectorView } from './inspector-view.tsx';
import { RefreshCw } from 'lucide-react';
import { RelatedConversations } from './client-compactions-view.tsx';
import { SessionTabs } from '../shell/session-tabs.tsx';
import { sessionTitle } from '../../parts/format.ts';
import { ToStart } from '../../parts/to-start.tsx';
import { useInspectedConversation, useInspectedSession } from '../../data/inspected.ts';
import { useSession } from '../../data/session.ts';
import { readableText } from '../../parts/visible-text.ts';
import type { Inspected } from '../../inspect/inspected.ts';
import type { Loadable } from '../../data/loadable.ts';
import type { ReactNode } from 'react';

export interface SessionInspectorProps {
  readonly sessionId: string;
  /** A recall id to begin at, as `m12`. */
  readonly place?: string;
}

/** Where the context of a session went. */
export function SessionInspector({ sessionId, place }: SessionInspectorProps) {
  const { inspected, actions, refresh } = useInspectedSession(sessionId);
  const session = useSession(sessionId);
  return (
    <Inspection
      inspected={inspected}
      title={session.state === 'ready' ? sessionTitle(session.value) : 'Session'}
      refresh={refresh}
      tabs={<SessionTabs sessionId={sessionId} current="inspector" />}
      view={(value) => (
        <InspectorView inspected={value} actions={actions} sessionId={sessionId} place={place} />
      )}
    />
  );
}

/** Where the context of a client's conversation went. */
export function ConversationInspector({ conversationId }: { readonly conversationId: string }) {
  const { inspected, refresh } = useInspectedConversation(conversationId);
  return (
    <Inspection
      inspected={inspected}
      refresh={refresh}
      tabs={<span className="text-xs text-ink-soft">proxied conversation</span>}
      view={(value) => (
        <>
          <RelatedConversations before={value.before} after={value.after} />
          <InspectorView key={conversationId} inspected={value} actions={null} />
        </>
      )}
    />
  );
}

interface InspectionProps {
  readonly inspected: Loadable<Inspected>;
  /** @default as the conversation says */
  readonly title?: string;
  readonly refresh: () => void;
  readonly tabs: ReactNode;
  readonly view: (inspected: Inspected) => ReactNode;
}

function Inspection({ inspected, title, refresh, tabs, view }: InspectionProps) {
  if (inspected.state === 'loading') return <Loading what="the whole history" />;
  if (inspected.state === 'failed')
    return (
      <div className="m-auto max-w-lg p-6">
        <FailureNotice
          failure={inspected.failure}
          actions={
            <>
              <Button onClick={refresh}>Try again</Button>
              <ToStart />
            </>
          }
        />
      </div>
    );
  const { value } = inspected;
  const isEmpty = value.transcript.conversation.entries.length === 0;
  return (
    <>
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 border-b border-line px-4 py-1 max-md:pl-12">
        <h1 dir="auto" className="min-w-0 flex-1 basis-32 truncate font-semibold max-md:basis-full">
          {title ?? readableText(value.title)}
        </h1>
        {tabs}
        <Button isSmall onClick={refresh} className="ms-auto">
          <RefreshCw size={14} aria-hidden /> <span className="max-md:sr-only">Read anew</span>
        </Button>
      </header>
      {isEmpty ? (
        <Empty title="Nothing was said yet">
          The inspector shows each request that was sent to the model.
        </Empty>
      ) : (
        view(value)
      )}
    </>
  );
}
