import { isObject } from '@throughline/core/codec';
import { joinChatUsage } from '../stream/chat/chat-usage.ts';
import { joinMessagesUsage } from '../stream/messages/messages-usage.ts';
import { joinResponsesUsage } from '../stream/responses/responses-usage.ts';
import { textGap } from '../stream/chat/chat-continuation.ts';
import { listOf, textOf } from '@throughline/core/internal';
import { Overlap } from '../stream/shared/overlap.ts';
import type { AnswerPart } from '../stream/shared/continuation.ts';
import type { DialectName } from '../stream/dialect-streams.ts';
import type { WireObject } from '@throughline/core/internal';

interface Counts {
  /** What the calls before cost. */
  readonly outputTokens: number;
  /** The prompt of the last call, by our own count. */
  readonly inputTokens: number;
}

type Join = (first: WireObject, rest: WireObject, part: AnswerPart) => WireObject;

const joins: Readonly<Record<DialectName, Join>> = {
  chat: (first, rest, part) => {
    const [choice] = listOf(first['choices']).map(objectOf);
    const [more] = listOf(rest['choices']).map(objectOf);
    const message = objectOf(choice?.['message']);
    const added = objectOf(more?.['message']);
    const content = goneOn(textOf(message['content']), textOf(added['content']));
    return {
      ...first,
      choices: [{ ...choice, ...more, message: { ...message, ...added, content } }],
      usage: joinChatUsage(objectOf(rest['usage']), part),
    };
  },
  messages: (first, rest, part) => {
    const blocks = listOf(first['content']).map(objectOf);
    const more = listOf(rest['content']).map(objectOf);
    return {
      ...first,
      content: joinedList(blocks, more, 'text'),
      stop_reason: rest['stop_reason'],
      stop_sequence: rest['stop_sequence'] ?? null,
      usage: { ...objectOf(rest['usage']), ...joinMessagesUsage({}, objectOf(rest['usage']), part) },
    };
  },
  responses: (first, rest, part) => {
    const items = listOf(first['output']).map(objectOf);
    const more = listOf(rest['output']).map(objectOf);
    return {
      ...first,
      output: joinedItems(items, more),
      status: rest['status'],
      incomplete_details: rest['incomplete_details'] ?? null,
      usage: joinResponsesUsage(objectOf(rest['usage']), part),
    };
  },
};

/** One answer out of the first part of it, without its calls, and the message that a model says behind their results. */
export function joinBehindCalls(
  dialect: DialectName,
  first: WireObject,
  rest: WireObject,
  counts: Counts,
): WireObject {
  const joined = joinWhole(dialect, first, rest, counts);
  return { ...joined, ...behind[dialect](first, rest) };
}

/** What is not gone on with, but stands behind what there is. */
const behind: Readonly<Record<DialectName, (first: WireObject, rest: WireObject) => WireObject>> = {
  chat: (first, rest) => {
    const [choice] = listOf(first['choices']).map(objectOf);
    const [more] = listOf(rest['choices']).map(objectOf);
    const message = objectOf(choice?.['message']);
    const added = objectOf(more?.['message']);
    const texts = [textOf(message['content']), textOf(added['content'])].filter((text) => text !== '');
    const content = texts.length === 0 ? (added['content'] ?? null) : texts.join(textGap);
    const thoughts = thoughtNames.flatMap((name) => {
      const thought = textOf(message[name]) + textOf(added[name]);
      return thought === '' ? [] : [[name, thought]];
    });
    const whole = { ...message, ...added, content, ...Object.fromEntries(thoughts) };
    return { choices: [{ ...choice, ...more, message: whole }] };
  },
  messages: ({ content }, { content: more }) => ({ content: [...listOf(content), ...listOf(more)] }),
  responses: ({ output }, { output: more }) => ({
    output: withFreeIds([...listOf(output), ...listOf(more)].map(objectOf)),
  }),
};

const thoughtNames = ['reasoning_content', 'reasoning'] as const;

/** Ids of another answer may be those of this one: small servers count. */
function withFreeIds(items: readonly WireObject[]): readonly WireObject[] {
  const ids = new Set<string>();
  return items.map((item) => {
    const { id } = item;
    if (typeof id !== 'string') return item;
    let free = id;
    for (let number = 2; ids.has(free); number += 1) free = `${id}_${number}`;
    ids.add(free);
    return free === id ? item : { ...item, id: free };
  });
}

/** One answer out of the first part of it, and what another call went on with. */
export function joinWhole(
  dialect: DialectName,
  first: WireObject,
  rest: WireObject,
  { outputTokens, inputTokens }: Counts,
): WireObject {
  return joins[dialect](first, rest, {
    overlap: new Overlap(''),
    keepsStart: false,
    spent: { outputTokens, reasoningTokens: 0 },
    estimates: { inputTokens },
  });
}

/** The text that was open, with the beginning of the rest; whatever else the rest has stands behind it. */
function joinedList(
  blocks: readonly WireObject[],
  more: readonly WireObject[],
  type: string,
): readonly WireObject[] {
  const open = blocks.at(-1);
  const at = more.findIndex((block) => block['type'] === type);
  const next = more[at];
  if (open?.['type'] !== type || !next) return [...blocks, ...more];
  const text = goneOn(textOf(open['text']), textOf(next['text']));
  return [...blocks.slice(0, -1), { ...open, text }, ...more.filter((_, index) => index !== at)];
}

function joinedItems(items: readonly WireObject[], more: readonly WireObject[]): readonly WireObject[] {
  const open = items.at(-1);
  const at = more.findIndex(({ type }) => type === 'message');
  const next = more[at];
  if (open?.['type'] !== 'message' || !next) return [...items, ...more];
  const content = joinedList(
    listOf(open['content']).map(objectOf),
    listOf(next['content']).map(objectOf),
    'output_text',
  );
  const item = { ...open, content, status: next['status'] ?? open['status'] };
  return [...items.slice(0, -1), item, ...more.filter((_, index) => index !== at)];
}

/** What the rest repeats of the text is left out. */
function goneOn(text: string, rest: string): string {
  const overlap = new Overlap(text);
  return text + overlap.take(rest) + overlap.end();
}

function objectOf(value: unknown): WireObject {
  return isObject(value) ? value : {};
}
