import { countOf } from '../terminal/numbers.ts';
import { targetText, titleBlock } from './tool-blocks.ts';
import { userBlock } from './user-block.ts';
import type { AgentSession } from '@throughline/agent';
import type { Block } from './block.ts';
import type { ChatServices } from './chat-services.ts';
import type { StoredMessage } from '@throughline/ports';

/** Messages of a resumed session that are shown again. */
const shownMessages = 8;

/** The end of a session that is opened again, and whether something is left to do; nothing for a new one. */
export async function openingBlocks(
  session: AgentSession,
  { agent }: ChatServices,
): Promise<readonly Block[]> {
  const [info, page, runs] = await Promise.all([
    session.info(),
    session.history({ limit: shownMessages }),
    agent.store.journal.runs(session.id),
  ]);
  if (page.items.length === 0) return [];
  const title = info.title === null || info.title === '' ? '' : ` “${info.title}”`;
  const last = page.next === null ? '' : ', the last of them:';
  const head = notice(`session ${session.id}${title}: ${countOf(info.messageCount, 'message')}${last}`);
  const isCutOff = runs.at(-1)?.endedAtMs === null && !session.isRunning;
  return [
    head,
    ...messageBlocks(page.items),
    ...(isCutOff
      ? [
          notice(
            'The last run has not ended: /resume goes on with it, unless another process still works on it.',
          ),
        ]
      : []),
  ];
}

function notice(text: string): Block {
  return { speaker: 'notice', tone: 'faint', mark: '· ', text };
}

function messageBlocks(messages: readonly StoredMessage[]): readonly Block[] {
  const parts = messages.flatMap(({ message }) => message.parts);
  const results = new Map(
    parts.flatMap((part) => (part.type === 'result' ? [[part.callId, part.isError === true] as const] : [])),
  );
  const fold = { head: 6, tail: 2 };
  return messages.flatMap(({ message }) =>
    message.parts.flatMap((part): Block[] => {
      if (part.type === 'text' && message.role === 'user') return [userBlock(part.text, fold)];
      if (part.type === 'text' && part.text.trim() !== '')
        return [{ speaker: 'text', tone: 'plain', text: part.text, fold }];
      if (part.type !== 'call') return [];
      const isError = results.get(part.callId);
      const mark = isError === undefined ? '○ ' : isError ? '✗ ' : '✓ ';
      return [titleBlock({ mark, tone: 'faint' }, `${part.name} ${targetText(part.input)}`)];
    }),
  );
}
