import { SessionTabs } from './session-tabs.tsx';
import { sessionTitle } from '../../parts/format.ts';
import { useSession } from '../../data/session.ts';
import type { ReactNode } from 'react';
import type { SessionTabsProps } from './session-tabs.tsx';

interface SessionHeaderProps extends SessionTabsProps {
  /** At its end. */
  readonly children?: ReactNode;
}

/** The head of a view of one session: its title and its other views, on a narrow page below each other. */
export function SessionHeader({ sessionId, current, children }: SessionHeaderProps) {
  const session = useSession(sessionId);
  const title = session.state === 'ready' ? sessionTitle(session.value) : 'Session';
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-x-3 border-b border-line px-4 py-1 max-md:pl-12">
      <h1
        dir="auto"
        title={title}
        className="min-w-0 flex-1 basis-32 truncate font-semibold max-md:line-clamp-2 max-md:basis-full max-md:whitespace-normal"
      >
        {title}
      </h1>
      <SessionTabs sessionId={sessionId} current={current} />
      {children}
    </header>
  );
}
