import { ContextMeter } from '../context/context-meter.tsx';
import { Download, GitFork, MoreHorizontal, Pencil, Zap } from 'lucide-react';
import { IconButton } from '../../parts/button.tsx';
import { Menu } from '../../parts/popups/menu.tsx';
import { ModelMenu } from './model-menu.tsx';
import { openPalette } from '../commands/command-keys.tsx';
import { SessionTabs } from '../shell/session-tabs.tsx';
import { SessionTitle } from './session-title.tsx';
import { useSessionCommands } from './use-session-commands.ts';
import { useSessionDeeds } from '../shell/use-session-deeds.ts';
import { useState } from 'react';
import type { ConversationState } from '../../data/conversation/state.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';

interface ChatHeaderProps {
  readonly conversation: ConversationState;
  readonly live: LiveConversation;
}

/** Title, model, views and context of a session, and what else can be done with it: on a narrow page in two lines. */
export function ChatHeader({ conversation, live }: ChatHeaderProps) {
  const { session } = conversation;
  const [isRenaming, setRenaming] = useState(false);
  useSessionCommands(conversation, live, () => setRenaming(true));
  const { fork, exportLines } = useSessionDeeds();
  const icon = { size: 15, 'aria-hidden': true };
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-2 border-b border-line px-4 py-1 max-md:pl-12">
      <SessionTitle session={session} isRenaming={isRenaming} onRenaming={setRenaming} />
      <ModelMenu session={session} live={live} />
      <SessionTabs sessionId={session.id} current="chat" />
      <ContextMeter conversation={conversation} live={live} />
      <Menu
        trigger={
          <IconButton label="More for this session" isSmall>
            <MoreHorizontal {...icon} />
          </IconButton>
        }
        entries={[
          { label: 'Rename', icon: <Pencil {...icon} />, onSelect: () => setRenaming(true) },
          { label: 'Fork', icon: <GitFork {...icon} />, onSelect: () => fork(session) },
          {
            label: 'Export as JSON lines',
            icon: <Download {...icon} />,
            onSelect: () => exportLines(session),
          },
          { label: 'Find or do …', icon: <Zap {...icon} />, onSelect: openPalette },
        ]}
      />
    </header>
  );
}
