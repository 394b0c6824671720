import { ContextError } from '../errors/context-error.ts';
import { Mending } from '../codecs/mending.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { CallPart, Entry } from '../transcript/entry.ts';
import type { WaitingCall } from '../codecs/mending.ts';

/**
 * Reads messages behind a history, one after the other: each is brought into a form that its format takes, and decoded.
 * The only way into a transcript.
 */
export class MessageReader<Message> {
  readonly #codec: Codec<Message>;
  /** Calls of the newest response that have no result yet. */
  #waiting: readonly WaitingCall[];
  #lastRole: Entry['role'] | undefined;

  constructor(codec: Codec<Message>, { lastExchange, entries }: Conversation) {
    this.#codec = codec;
    this.#lastRole = entries.at(entries.length - 1)?.role;
    this.#waiting = (lastExchange?.openCalls ?? []).map(({ callId, name, entry, part }) => {
      const holder = entries.at(entry);
      const call = holder?.parts[part];
      return {
        callId,
        name,
        hasMadeUpId: holder?.mended !== undefined && call?.type === 'call' && hasMadeUpId(holder, call),
      };
    });
  }

  /** @throws {ContextError} `bad-wire-format` where a message is none. */
  read(given: Message, ordinal: number, index: number): Entry {
    const entry = this.#readOne(given, ordinal, index);
    this.#follow(entry);
    return entry;
  }

  #readOne(given: Message, ordinal: number, index: number): Entry {
    const codec = this.#codec;
    if (!codec.mend) return codec.decode(given, ordinal);
    const mending = new Mending(codec.name, `messages[${index}]`, this.#waiting);
    const message = codec.mend(given, mending);
    const entry = codec.decode(message as Message, ordinal);
    return message === given ? entry : { ...entry, mended: { given, mends: mending.mends } };
  }

  #follow(entry: Entry): void {
    const calls: WaitingCall[] = [];
    for (const part of entry.parts) {
      if (part.type !== 'call' || part.isProviderExecuted === true) continue;
      calls.push({ callId: part.callId, name: part.name, hasMadeUpId: hasMadeUpId(entry, part) });
    }
    if (entry.role === 'assistant') {
      const goesOn = this.#codec.rules.entriesPerResponse === 'many' && this.#lastRole === 'assistant';
      this.#waiting = goesOn ? [...this.#waiting, ...calls] : calls;
    }
    for (const part of entry.parts) {
      if (part.type !== 'result' || this.#waiting.length === 0) continue;
      const index = this.#waiting.findIndex(({ callId }) => callId === part.callId);
      if (index >= 0) this.#waiting = this.#waiting.toSpliced(index, 1);
    }
    this.#lastRole = entry.role;
  }
}

/**
 * What is done with one message. What the message itself throws when it is read, as a getter or a proxy that was revoked
 * may, is told with its place.
 *
 * @throws {ContextError} `bad-wire-format`
 */
export function atMessage<Value>(format: string, index: number, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (ContextError.is(cause)) throw cause;
    const path = `messages[${index}]`;
    const expected = 'a message that can be read';
    const why = cause instanceof Error ? cause.message : 'it throws';
    const message = `Expected ${path} to be ${expected}, got one that throws: ${why}`;
    throw new ContextError('bad-wire-format', message, { format, path, expected }, { cause });
  }
}

function hasMadeUpId({ mended }: Entry, { at }: CallPart): boolean {
  return (
    mended?.mends.some(
      (mend) =>
        mend.isCallId === true &&
        mend.at.length === at.length + 1 &&
        at.every((step, index) => step === mend.at[index]),
    ) === true
  );
}
