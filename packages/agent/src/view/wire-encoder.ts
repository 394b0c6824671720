import { applyRepair, convertMessages, repair } from '@throughline/core';
import { agentCodec } from './agent-codec.ts';
import { ownWireOf } from './own-wire.ts';
import type { Entry, RenderedMessage, Repair } from '@throughline/core';
import type { ModelDriver } from '@throughline/ports';

/** Messages as a driver takes them. */
export interface EncodedMessages {
  readonly messages: readonly RenderedMessage<unknown>[];
  /** What had to be mended so that the provider accepts them. */
  readonly repairs: readonly Repair[];
}

export interface WireEncoderOptions {
  readonly driver: Pick<ModelDriver, 'codec' | 'name'>;
  /**
   * Messages of one group as this model can take them: what it cannot take is said in words, what its format takes only
   * from a user stands behind. @default as they are
   */
  readonly adapt?: (messages: readonly unknown[]) => readonly unknown[];
}

/** Messages that are converted together: one answer, or everything that stands between two. */
interface Group {
  readonly source: RenderedMessage<unknown>['source'];
  readonly members: RenderedMessage<unknown>[];
}

interface Encoded {
  readonly members: readonly unknown[];
  readonly entries: readonly Entry[];
}

/**
 * Turns messages of the runtime into those of a driver. What an answer's own provider wants back unchanged goes back
 * as it came, unless something in it was pruned. Valid for the driver's format; the same messages give the same
 * bytes; a group that was converted before is not converted again.
 */
export function createWireEncoder({
  driver,
  adapt = (messages) => messages,
}: WireEncoderOptions): (rendered: readonly RenderedMessage<unknown>[]) => EncodedMessages {
  const known = new WeakMap<object, Encoded>();
  const encodeGroup = ({ members }: Group): readonly Entry[] => {
    const messages = members.map(({ message }) => message);
    const first = messages[0] as object;
    const before = known.get(first);
    if (before && isSameList(before.members, messages)) return before.entries;
    const entries = wireOf(members, driver, adapt).map((message) => driver.codec.decode(message, 0));
    known.set(first, { members: messages, entries });
    return entries;
  };
  return (rendered) => {
    const entries: Entry[] = [];
    const sources: Group['source'][] = [];
    for (const group of groupsOf(rendered)) {
      for (const entry of encodeGroup(group)) {
        entries.push(entry);
        sources.push(group.source);
      }
    }
    const { items, repairs } = repair(entries, driver.codec, { ending: 'send' });
    const messages = applyRepair(entries, items, driver.codec).map(
      ({ message, index, isEdited }): RenderedMessage<unknown> => ({
        source: (index === undefined ? undefined : sources[index]) ?? 'written',
        isEdited,
        message,
      }),
    );
    return { messages, repairs };
  };
}

function wireOf(
  members: readonly RenderedMessage<unknown>[],
  driver: WireEncoderOptions['driver'],
  adapt: NonNullable<WireEncoderOptions['adapt']>,
): readonly unknown[] {
  const [first] = members;
  const own = first && !first.isEdited ? ownWireOf(first.message) : undefined;
  if (own && own.by === driver.name && own.codec === driver.codec.name) return own.messages;
  const entries = adapt(members.map(({ message }) => message)).map((message) =>
    agentCodec.decode(message, 0),
  );
  return convertMessages(entries, agentCodec, driver.codec).messages;
}

function groupsOf(rendered: readonly RenderedMessage<unknown>[]): readonly Group[] {
  const groups: Group[] = [];
  for (const member of rendered) {
    const last = groups.at(-1);
    const isJoined =
      last !== undefined &&
      last.source === member.source &&
      !isAnswer(member) &&
      !last.members.some(isAnswer);
    if (isJoined) last.members.push(member);
    else groups.push({ source: member.source, members: [member] });
  }
  return groups;
}

function isAnswer({ message }: RenderedMessage<unknown>): boolean {
  return (message as { readonly role?: unknown } | null)?.role === 'assistant';
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
