import { fingerprintEntry } from '@throughline/core/internal';
import type { Codec, Entry } from '@throughline/core';

/** A conversation of a file by its position among all, and whether a later one took its place. */
export interface OrderedRequest {
  readonly index: number;
  readonly isReplaced: boolean;
}

/** Requests that begin with the same message, and whether one of them was gone on from by a later one. */
interface Thread {
  readonly indexes: number[];
  isLog: boolean;
}

/**
 * A client sends its whole history with every request, so a log of its requests holds one conversation many times:
 * each continues an earlier one. The newest request of such a conversation comes first, the conversation that was
 * used last before the others, and what a request replaced follows it, newest first. Conversations of which none
 * continues another, as in a dataset, stay as they are. Linear in the number of messages.
 */
export function orderRequests(
  conversations: readonly (readonly unknown[])[],
  codec: Codec,
): OrderedRequest[] {
  const logs = [...threadsOf(conversations, codec)].filter(({ isLog }) => isLog);
  const inLog = new Set(logs.flatMap(({ indexes }) => indexes));
  const newestFirst = logs.toSorted((a, b) => (b.indexes.at(-1) ?? 0) - (a.indexes.at(-1) ?? 0));
  const ordered = newestFirst.flatMap(({ indexes }) =>
    indexes.toReversed().map((index, age) => ({ index, isReplaced: age > 0 })),
  );
  const others = conversations.flatMap((_, index) =>
    inLog.has(index) ? [] : [{ index, isReplaced: false }],
  );
  return [...ordered, ...others];
}

function threadsOf(conversations: readonly (readonly unknown[])[], codec: Codec): Iterable<Thread> {
  const threads = new Map<string, Thread>();
  const histories = new Histories();
  for (const [index, messages] of conversations.entries()) {
    const prints = messages.map((message, ordinal) => codec.decode(message, ordinal)).flatMap(printOf);
    const [first] = prints;
    if (first === undefined) continue;
    const continues = histories.add(prints);
    const thread = threads.get(first);
    if (thread === undefined) threads.set(first, { indexes: [index], isLog: continues });
    else {
      thread.indexes.push(index);
      thread.isLog ||= continues;
    }
  }
  return threads.values();
}

/** System prompts say what day it is: they are no part of what is gone on from. */
function printOf(entry: Entry): string[] {
  return entry.role === 'system' ? [] : [fingerprintEntry(entry)];
}

/** All histories seen so far as one tree, so that each message of each is looked up once. */
class Histories {
  readonly #next = new Map<string, number>();
  readonly #ends = new Set<number>();

  /** Whether the history continues one that was added before. */
  add(prints: readonly string[]): boolean {
    let node = 0;
    let continues = false;
    for (const print of prints) {
      continues ||= this.#ends.has(node);
      node = this.#child(node, print);
    }
    this.#ends.add(node);
    return continues;
  }

  #child(node: number, print: string): number {
    const key = `${node} ${print}`;
    const known = this.#next.get(key);
    if (known !== undefined) return known;
    const made = this.#next.size + 1;
    this.#next.set(key, made);
    return made;
  }
}
