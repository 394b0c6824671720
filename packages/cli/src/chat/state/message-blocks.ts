import { isObject } from '@throughline/core/codec';
import { countOf } from '../../terminal/numbers.ts';
import { targetText, titleBlock } from './tool-blocks.ts';
import { userBlock } from './block.ts';
import type { AgentSession } from '@throughline/agent';
import type { Block } from './block.ts';
import type { ChatServices } from './chat-services.ts';
import type { StoredMessage } from '@throughline/ports';
import type { Json, SessionMessage } from '@throughline/core/codec';

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

/**
 * The texts of messages that were sent from another terminal, by the message of the history that they became: one that
 * was taken alone is that message; of several taken together each stands in its `meta.originalMessages`.
 */
export function saidElsewhere({ parts, meta }: SessionMessage, ids: readonly string[]): readonly string[] {
  const originals = meta?.['originalMessages'];
  const texts = (isList(originals) ? originals : []).flatMap((one): string[] => {
    const { id, content } = fieldsOf(one);
    return content !== undefined && ids.some((asked) => asked === id) ? [textOfContent(content)] : [];
  });
  if (texts.length > 0) return texts;
  return [parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')];
}

/** What a user sent, as text: images and files as their names in brackets. */
export function textOfContent(content: Json): string {
  if (typeof content === 'string') return content;
  const parts = isList(content) ? content : fieldsOf(content)['parts'];
  return isList(parts) ? parts.map(textOfPart).join('\n') : '';
}

function textOfPart(part: Json): string {
  const { type, text, filename, mediaType } = fieldsOf(part);
  if (type === 'text') return typeof text === 'string' ? text : '';
  const name = [filename, mediaType, type].find((one) => typeof one === 'string');
  return `[${String(name)}]`;
}

/** The fields of an object, none for anything else. */
function fieldsOf(json: Json | undefined): { readonly [key: string]: Json | undefined } {
  return isObject(json) ? json : {};
}

function isList(json: Json | undefined): json is readonly Json[] {
  return Array.isArray(json);
}
