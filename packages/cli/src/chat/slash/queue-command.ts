import { textOfContent } from '../text-of-content.ts';
import type { SlashContext } from './slash-command.ts';
import type { WaitingItem } from '@throughline/ports';

const usage = '/queue edit NUMBER TEXT changes one, /queue remove NUMBER takes one out.';

/** `/queue`, `/queue edit 2 text`, `/queue remove 2` */
export async function queueCommand(context: SlashContext, argument: string): Promise<void> {
  const { session, say } = context;
  const waiting = await session.queue.list();
  if (argument === '') return list(context, waiting);
  const [, verb, number, text = ''] = /^(edit|remove)\s+(\d{1,4})(?:\s+([^]*))?$/.exec(argument) ?? [];
  if (verb === undefined || (verb === 'edit' && text.trim() === '')) return say(usage, 'warning');
  const item = waiting[Number(number) - 1];
  if (!item) return say(`Nothing waits at number ${number}.`, 'warning');
  const isDone =
    verb === 'edit' ? await session.queue.edit(item.id, text) : await session.queue.remove(item.id);
  if (!isDone) return say('It does not wait any more.', 'warning');
  say(verb === 'edit' ? `Number ${number} is changed.` : `Number ${number} is taken out.`, 'good');
}

function list({ print, say }: SlashContext, waiting: readonly WaitingItem[]): void {
  if (waiting.length === 0) return say('Nothing is waiting.');
  print([
    ...waiting.map(
      ({ content }, index) =>
        ({
          speaker: 'notice',
          tone: 'plain',
          mark: `${index + 1}. `,
          text: textOfContent(content),
          fold: { head: 4, tail: 0 },
        }) as const,
    ),
    { speaker: 'notice', tone: 'faint', text: usage },
  ]);
}
