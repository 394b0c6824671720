import { createHash } from 'node:crypto';
import { joinTurns } from '../wire/model-ask.ts';
import type { UserPart } from '@throughline/agent';
import type { StoredMessage } from '@throughline/ports';
import type { Turn } from '../wire/model-ask.ts';

/** What stands in front of instructions that came with a request. */
const instructionsMark = '[Instructions for this conversation, from the program that asks]';

/** Instructions of a request as a part of the message they came with. */
export function instructionsPart(instructions: string): UserPart {
  return { type: 'text', text: `${instructionsMark}\n${instructions}` };
}

/** A turn of which only the fingerprint is wanted. */
interface TurnText {
  readonly role: Turn['role'];
  readonly text: string;
}

/**
 * Names a conversation: the same for a history as the client sends it and as the session has it. Blanks do not count,
 * because clients trim and join texts as they like.
 */
export function fingerprintOf(turns: readonly TurnText[]): string {
  const hash = createHash('sha256');
  for (const { role, text } of turns) hash.update(`${role}\0${text.replaceAll(/\s+/gu, '')}\0`);
  return hash.digest('hex');
}

export function textsOf(turns: readonly Turn[]): readonly TurnText[] {
  return turns.map(({ role, parts }) => ({ role, text: parts.map(partText).join('') }));
}

function partText(part: UserPart): string {
  if (part.type === 'text') return part.text;
  return mediaText(createHash('sha256').update(Buffer.from(part.data, 'base64')).digest('hex'));
}

function mediaText(hash: string): string {
  return `\u0001${hash}\u0001`;
}

/** A session's history as a client knows it: without reasoning, calls and results. */
export function storedTexts(messages: readonly StoredMessage[]): readonly TurnText[] {
  const texts: TurnText[] = [];
  for (const { message } of messages) {
    const { role } = message;
    if (role !== 'user' && role !== 'assistant') continue;
    const text = message.parts.map((part) => storedText(part, role)).join('');
    const last = texts.at(-1);
    if (text === '') continue;
    if (last?.role === role) texts[texts.length - 1] = { role, text: last.text + text };
    else texts.push({ role, text });
  }
  return texts;
}

function storedText(part: StoredMessage['message']['parts'][number], role: Turn['role']): string {
  if (part.type === 'text') return isInstructions(part.text, role) ? '' : part.text;
  // What the model made is not sent back by clients.
  if (part.type !== 'media' || role === 'assistant' || part.source.type !== 'url') return '';
  return mediaText(part.source.url.replace(/^@blob:/, ''));
}

function isInstructions(text: string, role: Turn['role']): boolean {
  return role === 'user' && text.startsWith(instructionsMark);
}

/** The instructions that hold in a session: those that came last. */
export function lastInstructions(messages: readonly StoredMessage[]): string {
  const texts = messages.flatMap(({ message: { role, parts } }) =>
    parts.flatMap((part) =>
      role === 'user' && part.type === 'text' && isInstructions(part.text, role) ? [part.text] : [],
    ),
  );
  return texts.at(-1)?.slice(instructionsMark.length + 1) ?? '';
}

/** A session's history as turns, to begin another one with. Media stay behind: their bytes belong to that session. */
export function storedTurns(messages: readonly StoredMessage[]): readonly Turn[] {
  return joinTurns(
    messages.flatMap(({ message: { role, parts } }) =>
      role !== 'user' && role !== 'assistant'
        ? []
        : [
            {
              role,
              parts: parts.flatMap((part) =>
                part.type === 'text' ? [{ type: 'text', text: part.text } as const] : [],
              ),
            },
          ],
    ),
  );
}
