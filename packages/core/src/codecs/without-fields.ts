import { invalidOption } from '../errors/check-options.ts';
import { isObject } from '../json/json.ts';
import type { Codec } from './codec.ts';

/**
 * The codec for requests, where logs of the same format carry fields that no request takes: messages come without them.
 * This is all that an adapter may change of a codec. What reads, edits and writes stays as it is, so the two cannot
 * drift apart.
 *
 * @param fields members of a message that hold nothing of what it says
 * @param reason as the repair of a message tells it
 * @throws {ContextError} `invalid-option`, when a message comes whose content or role stands in one of them.
 */
export function withoutFields<Message>(
  codec: Codec<Message>,
  fields: readonly string[],
  reason: string,
): Codec<Message> {
  return {
    ...codec,
    mend: (given, mending) => {
      const message = codec.mend?.(given, mending) ?? given;
      if (!isObject(message)) return message;
      const found = fields.filter((name) => Object.hasOwn(message, name));
      if (found.length === 0) return message;
      const rest = Object.fromEntries(Object.entries(message).filter(([name]) => !found.includes(name)));
      if (outlineOf(codec, rest) !== outlineOf(codec, message))
        throw invalidOption('fields', 'members of a message that hold nothing of what it says', found);
      for (const name of found) mending.note([name], reason);
      return rest;
    },
  };
}

/** Who says how many things of which kind, and which calls they belong to. */
function outlineOf<Message>(codec: Codec<Message>, message: unknown): string {
  const { role, parts } = codec.decode(message as Message, 0);
  return JSON.stringify([role, parts.map((part) => [part.type, 'callId' in part ? part.callId : ''])]);
}
