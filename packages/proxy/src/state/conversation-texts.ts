import { entryText, ownWords } from '@throughline/core/internal';
import { messageSpans } from '../wire/client-request.ts';
import type { ClientRequest } from '../wire/client-request.ts';

/** Each message as the client wrote it. */
export function messageTexts(request: ClientRequest): readonly string[] {
  const { text, messages } = request;
  const items = messageSpans(request);
  return messages.map((message, index) => {
    const span = items[index];
    return (span ? text.slice(span.start, span.end) : JSON.stringify(message)).toWellFormed();
  });
}

const titleCharacters = 80;

/** The first that the user said, shortened to a line; texts that clients put in front of it only where there is nothing else. */
export function titleOf({ dialect: { codec }, messages }: ClientRequest): string {
  let put = '';
  for (const [index, message] of messages.entries()) {
    const entry = codec.decode(message, index);
    if (entry.role !== 'user') continue;
    const line = lineOf(ownWords(entry));
    if (line !== '') return shortened(line);
    if (put === '') put = lineOf(entryText(entry));
  }
  return shortened(put);
}

function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toWellFormed();
}

function shortened(line: string): string {
  const characters = Array.from(line.slice(0, 2 * titleCharacters));
  return characters.length <= titleCharacters
    ? characters.join('')
    : `${characters.slice(0, titleCharacters - 1).join('')}…`;
}
