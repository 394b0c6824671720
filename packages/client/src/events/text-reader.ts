import type { AgentEvent } from '@throughline/protocol/types';

/** What an event adds to the text of the answers; empty where it adds nothing. */
export type TextReader = (event: AgentEvent) => string;

/**
 * Reads the text of answers from events, each character once. A part comes in pieces, and at its end whole: the whole
 * takes the place of the pieces in the journal, so that after a lost connection some never come. Of the whole this gives
 * what was not given before. One reader is for the events of one session, in their order.
 *
 * @param type `reasoning`: what the model thought. @default 'text'
 */
export function createTextReader(type: 'text' | 'reasoning' = 'text'): TextReader {
  /** By part: what was given of it. A part that is whole is left out. */
  const given = new Map<string, string>();
  return (event) => {
    if (event.type !== 'llm:chunk' || event.data.chunkType !== type) return '';
    const { messageId, part, content, isComplete } = event.data;
    const key = `${messageId}.${part}`;
    const before = given.get(key) ?? '';
    if (isComplete !== true) {
      given.set(key, before + content);
      return content;
    }
    given.delete(key);
    return restOf(content, before);
  };
}

/** What stands behind the text that was given: its beginning, or a middle where the reading began in a part. */
function restOf(whole: string, given: string): string {
  if (whole.startsWith(given)) return whole.slice(given.length);
  const at = whole.endsWith(given) ? whole.length - given.length : whole.indexOf(given);
  return at < 0 ? '' : whole.slice(at + given.length);
}
