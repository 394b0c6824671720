import { dialects } from '../wire/dialect.ts';
import { historyName } from '../identity/history-chain.ts';
import { parseJson } from '@throughline/core/internal';
import type { Dialect } from '../wire/dialect.ts';
import type { ProxyMessage, ProxyStore, Whose } from '@throughline/ports';

/** Messages of a history that follow one another. */
interface HistoryPiece {
  readonly messages: readonly ProxyMessage[];
  /** Name of the history before the first of them; `null` at the beginning. */
  readonly before: string | null;
}

const messagesTogether = 500;

/** A whole history, oldest first. @throws {ContextError} `not-found` */
export async function readHistory(
  { conversations }: Pick<ProxyStore, 'conversations'>,
  whose: Whose,
  id: string,
): Promise<readonly ProxyMessage[]> {
  const pages: (readonly ProxyMessage[])[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: messagesTogether, ...(cursor !== undefined && { cursor }) };
    const { items, next } = await conversations.messages(whose, id, query);
    pages.push(items);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return pages.toReversed().flat();
}

/**
 * The dialect in which these were said: the one in which they have the names under which they are stored. Where several
 * do, the messages say the same in each of them.
 */
export function dialectOf({ messages, before }: HistoryPiece): Dialect {
  let left: readonly Dialect[] = Object.values(dialects);
  for (const [index, { hash, message, length }] of messages.entries()) {
    const value = parseJson(message);
    const named = {
      message: value,
      ordinal: length - 1,
      before: messages[index - 1]?.hash ?? before ?? undefined,
    };
    const fitting = left.filter((dialect) => hasName(dialect, hash, named));
    if (fitting.length > 0) left = fitting;
    if (left.length === 1) break;
  }
  return left[0] ?? dialects.chat;
}

function hasName(dialect: Dialect, hash: string, named: Parameters<typeof historyName>[1]): boolean {
  try {
    return historyName(dialect, named) === hash;
  } catch {
    // It is no message of this dialect.
    return false;
  }
}
