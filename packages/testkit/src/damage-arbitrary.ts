import fc from 'fast-check';
import type { TestMessage, TestPart } from './test-message.ts';

/** One thing that goes wrong in a history. Pure; prints as what it does. */
interface Damage {
  readonly name: string;
  apply(messages: readonly TestMessage[]): TestMessage[];
}

/** `place` and `other` are positions as shares of the length, `text` fills what needs one. */
interface Dice {
  readonly place: number;
  readonly other: number;
  readonly text: string;
}

type Breaker = (messages: TestMessage[], dice: Dice) => TestMessage[];

const at = (messages: readonly TestMessage[], share: number): number => Math.floor(share * messages.length);

const breakers: Record<string, Breaker> = {
  'loses a message': (messages, { place }) => messages.toSpliced(at(messages, place), 1),
  'repeats a message': (messages, { place, other }) => {
    const message = messages[at(messages, place)];
    return message ? messages.toSpliced(at(messages, other), 0, message) : messages;
  },
  'moves a message': (messages, { place, other }) => {
    const message = messages[at(messages, place)];
    const without = messages.toSpliced(at(messages, place), 1);
    return message ? without.toSpliced(at(without, other), 0, message) : messages;
  },
  'loses results': (messages, { place }) => change(messages, place, (part) => part.type !== 'result'),
  'loses calls': (messages, { place }) => change(messages, place, (part) => part.type !== 'call'),
  'keeps only reasoning': (messages, { place }) =>
    change(messages, place, (part) => part.type === 'reasoning'),
  'empties a message': (messages, { place }) => change(messages, place, () => false),
  'ends in the middle': (messages, { place }) => messages.slice(0, at(messages, place) + 1),
  'starts in the middle': (messages, { place }) => messages.slice(at(messages, place)),
  'says nothing': insert(() => ({ role: 'user', parts: [] })),
  'says a blank text': insert(() => ({ role: 'assistant', parts: [{ type: 'text', text: '' }] })),
  interrupts: insert(({ text }) => ({ role: 'user', parts: [{ type: 'text', text }] })),
  'inserts a system message': insert(({ text }) => ({ role: 'system', parts: [{ type: 'text', text }] })),
  'inserts an assistant message': insert(({ text }) => ({
    role: 'assistant',
    parts: [{ type: 'text', text }],
  })),
  'inserts an orphan': insert(({ text }) => ({ role: 'tool', parts: [orphan(text)] })),
  'inserts a lone call': insert(() => ({
    role: 'assistant',
    parts: [{ type: 'call', callId: 'call_1', name: 'read', input: {} }],
  })),
  'thinks without acting': insert(() => ({
    role: 'assistant',
    parts: [{ type: 'reasoning', text: 'hm', signature: 'c2ln' }],
  })),
  'mixes results and text': (messages, { place, text }) =>
    map(messages, (message, index) =>
      index === at(messages, place) && message.role === 'tool'
        ? { role: 'user', parts: [{ type: 'text', text }, ...message.parts] }
        : message,
    ),
  'repeats call ids': (messages, { place }) =>
    rename(messages, place, (callId) => `call_${(Number(callId.split('_')[1]) || 0) % 2}`),
  'has one call id': (messages) => rename(messages, 0, () => 'call_1'),
  'has strange call ids': (messages, { place }) =>
    rename(messages, place, (callId) => `${callId}.ü/ \uD83D${'x'.repeat(70)}`),
  'never asks': (messages) => messages.filter(({ role }) => role !== 'user'),
  'answers twice': (messages, { place }) =>
    map(messages, ({ role, parts }, index) => ({
      role,
      parts:
        index === at(messages, place)
          ? parts.flatMap((part): TestPart[] => (part.type === 'result' ? [part, part] : [part]))
          : parts,
    })),
  'puts calls into a user message': insert(() => ({
    role: 'user',
    parts: [
      { type: 'text', text: 'x' },
      { type: 'call', callId: 'call_9', name: 'read', input: {} },
    ],
  })),
  'halves a provider pair': (messages) =>
    map(messages, ({ role, parts }) => ({
      role,
      parts: parts.filter((part) => part.type !== 'result' || !part.isProviderExecuted),
    })),
  'turns messages around': (messages, { place }) => [
    ...messages.slice(0, at(messages, place)),
    ...messages.slice(at(messages, place)).toReversed(),
  ],
};

/** Damage at a random place. Shrinks to earlier kinds and places. */
export function damageArbitrary(text: fc.Arbitrary<string>): fc.Arbitrary<Damage> {
  const share = fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100);
  return fc
    .record({ name: fc.constantFrom(...Object.keys(breakers)), place: share, other: share, text })
    .map(({ name, ...dice }) => ({
      name,
      apply: (messages) => breakers[name]?.([...messages], dice) ?? [...messages],
      [fc.toStringMethod]: () => `${name} at ${dice.place} / ${dice.other}`,
    }));
}

function insert(make: (dice: Dice) => TestMessage): Breaker {
  return (messages, dice) => messages.toSpliced(at(messages, dice.place), 0, make(dice));
}

function map(
  messages: TestMessage[],
  change: (message: TestMessage, index: number) => TestMessage,
): TestMessage[] {
  return messages.map(change);
}

function change(messages: TestMessage[], place: number, keep: (part: TestPart) => boolean): TestMessage[] {
  const chosen = at(messages, place);
  return messages.map((message, index) =>
    index === chosen ? { role: message.role, parts: message.parts.filter(keep) } : message,
  );
}

/** Gives every call and result from a place on another id, each by its old one. */
function rename(messages: TestMessage[], place: number, name: (callId: string) => string): TestMessage[] {
  const from = at(messages, place);
  return messages.map(({ role, parts }, index) => ({
    role,
    parts: parts.map((part) =>
      index >= from && (part.type === 'call' || part.type === 'result')
        ? { ...part, callId: name(part.callId) }
        : part,
    ),
  }));
}

function orphan(text: string): TestPart {
  return { type: 'result', callId: 'call_orphan', name: 'read', text, isError: false };
}
