import type { Codec, NeutralPart, PartChange, Synthetic } from '../codecs/codec.ts';
import { isObject } from '../json/json.ts';
import { callInputValue } from '../transcript/entry-text.ts';
import { validate } from '../wire/validate.ts';
import type { Law, Sample } from './message-laws.ts';
import { caught, messageLaws, neutralText } from './message-laws.ts';

/** A promise of `Codec` that was not kept. */
export interface CodecFault {
  readonly law: CodecLaw;
  /** Index of the message it shows on; missing where no message of the samples is at fault. */
  readonly message?: number;
  readonly fault: string;
}

/** What `checkCodec` has to know of a format that cannot say everything. */
export interface CheckCodecOptions {
  /** Changes that the format has no words for: `edit` gives no edits for them. @default none */
  readonly cannot?: (change: PartChange, message: unknown) => boolean;
}

/** `samples`: the messages do not show enough. `compose`, `conversation`: what the engine writes itself. */
export type CodecLaw = keyof typeof messageLaws | 'neutral' | 'samples' | 'compose' | 'conversation';

/**
 * Whether a codec keeps what `Codec` promises, tried on messages of its format; empty where it does. Give messages that
 * hold a text, a call and a result at least, and one of everything else that the format has. Pure, and the same
 * messages give the same faults; so it runs in any test runner, and under a generator of messages.
 */
export function checkCodec(
  codec: Codec,
  messages: readonly unknown[],
  { cannot = () => false }: CheckCodecOptions = {},
): readonly CodecFault[] {
  const laws = Object.entries({ ...messageLaws, neutral: neutralFaults }) as readonly [CodecLaw, Law][];
  const onMessages = messages.flatMap((message, index) =>
    laws.flatMap(([law, check]) =>
      caught(() => check({ codec, message, cannot })).map((fault) => ({ law, message: index, fault })),
    ),
  );
  const told = (law: CodecLaw, check: () => readonly string[]): readonly CodecFault[] =>
    caught(check).map((fault) => ({ law, fault }));
  return [
    ...told('samples', () => sampleFaults(codec, messages)),
    ...onMessages,
    ...writtenItems.flatMap((item) => told('compose', () => composeFaults(codec, item))),
    ...told('compose', () => depthFaults(codec)),
    ...told('conversation', () => conversationFaults(codec)),
  ];
}

function sampleFaults(codec: Codec, messages: readonly unknown[]): readonly string[] {
  const types = new Set(
    messages.flatMap((message) => codec.decode(message, 0).parts.map(({ type }) => type)),
  );
  const missing = (['text', 'call', 'result'] as const).filter((type) => !types.has(type));
  return missing.map((type) => `no message has a part of type ${type}`);
}

/** What is said in neutral form and written again says the same, unless a loss tells what is missing. */
function neutralFaults({ codec, message }: Sample): readonly string[] {
  const entry = codec.decode(message, 0);
  const parts = codec.neutral(entry);
  return parts.length === 0 ? [] : composeFaults(codec, { role: entry.role, parts, kind: 'converted' });
}

const call = { type: 'call', callId: 'c1', name: 'read', input: { path: 'a.ts' } } as const;
const result = {
  type: 'result',
  callId: 'c1',
  name: 'read',
  content: [{ type: 'text', text: 'done' }],
  isError: false,
} as const;
const image = {
  type: 'media',
  mediaType: 'image/png',
  source: { type: 'base64', data: 'aGVsbG8=' },
} as const;
const linked = { ...image, source: { type: 'url', url: 'https://example.com/a.png' } } as const;
const text = (said: string): NeutralPart => ({ type: 'text', text: said });

/** What the engine writes: summaries, notes, results of calls that were interrupted, messages of another format. */
const writtenItems: readonly Synthetic[] = [
  { role: 'user', kind: 'summary', parts: [text('What was done.')] },
  { role: 'user', kind: 'note', parts: [text('It is Monday.')] },
  { role: 'system', kind: 'converted', parts: [text('Be careful.')] },
  { role: 'assistant', kind: 'converted', parts: [text('I look.'), call] },
  { role: 'assistant', kind: 'converted', parts: [{ type: 'reasoning', text: 'Hm.' }, call] },
  { role: 'tool', kind: 'interrupted', parts: [{ ...result, isError: true }] },
  { role: 'tool', kind: 'converted', parts: [result, { ...result, callId: 'c2' }] },
  { role: 'tool', kind: 'converted', parts: [{ ...result, content: [...result.content, image] }] },
  { role: 'tool', kind: 'converted', parts: [{ ...result, content: [linked] }] },
  { role: 'user', kind: 'converted', parts: [text('See:'), image] },
  { role: 'user', kind: 'converted', parts: [text('See:'), linked] },
  { role: 'assistant', kind: 'converted', parts: [text('I drew it:'), image] },
  // Arguments that a model has left unfinished are a text and no value.
  { role: 'assistant', kind: 'converted', parts: [{ ...call, input: '{"path": "a.t' }] },
];

function composeFaults(codec: Codec, item: Synthetic): readonly string[] {
  const { messages, losses } = codec.compose(item);
  if (losses.length > 0) return losses.flatMap(({ path }) => pathFaults(path, item));
  const written = messages.flatMap((message, ordinal) => codec.neutral(codec.decode(message, ordinal)));
  const [found, wanted] = [neutralText(written), neutralText(item.parts)];
  return found === wanted
    ? []
    : [`what was composed says ${found}, and not ${wanted}, and no loss tells of it`];
}

/** Deeper than what recursion, that of `JSON.stringify` as well, can go down. */
const deepestLevels = 20_000;

/** Models do nest arguments without end: they are written whole, or a loss tells of it. */
function depthFaults(codec: Codec): readonly string[] {
  let input: unknown = 'a.ts';
  for (let level = 0; level < deepestLevels; level += 1) input = [input];
  const parts = [{ ...call, input: { path: input } }];
  const { messages, losses } = codec.compose({ role: 'assistant', kind: 'converted', parts });
  if (losses.length > 0) return [];
  const written = messages.flatMap((message, ordinal) => codec.decode(message, ordinal).parts);
  const found = written.flatMap((part) => (part.type === 'call' ? [levelsOf(callInputValue(part))] : []));
  return found[0] === deepestLevels
    ? []
    : [
        `of arguments nested ${deepestLevels} levels deep ${found[0] ?? 0} levels were written, and no loss tells of it`,
      ];
}

function levelsOf(input: unknown): number {
  let value = isObject(input) ? input['path'] : undefined;
  let levels = 0;
  for (; Array.isArray(value); value = value[0]) levels += 1;
  return levels;
}

function pathFaults(path: string, { parts }: Synthetic): readonly string[] {
  const index = Number(/^parts\[(\d+)\]$/.exec(path)?.[1] ?? NaN);
  return index < parts.length ? [] : [`the path of a loss is ${path}, and not parts[index]`];
}

/** A conversation that the codec wrote itself is valid by its own rules. */
function conversationFaults(codec: Codec): readonly string[] {
  const items: readonly Synthetic[] = [
    { role: 'user', kind: 'converted', parts: [text('What is in a.ts?')] },
    { role: 'assistant', kind: 'converted', parts: [text('I look.'), call] },
    { role: 'tool', kind: 'converted', parts: [{ ...result, content: [...result.content, image] }] },
    { role: 'assistant', kind: 'converted', parts: [text('I drew it:'), image] },
    { role: 'user', kind: 'converted', parts: [text('Rather so:'), image, linked] },
  ];
  const messages = items.flatMap((item) => codec.compose(item).messages);
  const entries = messages.map((message, ordinal) => codec.decode(message, ordinal));
  return validate(entries, codec.rules, { ending: 'send' }).map(
    ({ rule }) => `by its own rules a conversation that it wrote breaks ${rule}`,
  );
}
