import { renderView } from '@throughline/core';
import { replay } from '@throughline/core/internal';
import fc from 'fast-check';
import { composeWire } from './compose-wire.ts';
import { damageArbitrary } from './damage-arbitrary.ts';
import { pixel } from './test-message.ts';
import type { Transcript } from '@throughline/core';
import type { WireFormat } from './compose-wire.ts';
import type { TestCall, TestImage, TestMessage, TestPart } from './test-message.ts';

/** `none`: valid in every format. `some`: what real logs hold. `wild`: anything, also no user message at all. */
type Hostility = 'none' | 'some' | 'wild';

export interface HistoryOptions {
  /** Most turns of an ordinary history. @default 4 */
  readonly size?: number;
  /** @default 'some' */
  readonly hostility?: Hostility;
  /** Rarely histories of thousands of messages, and one turn of hundreds of calls. @default false */
  readonly hasGiants?: boolean;
}

/**
 * Random transcripts: parallel calls, signed reasoning, images, errors, provider-executed tools, CJK, base64, long runs,
 * and by hostility duplicate ids, orphans, late and missing results, empty messages, lone surrogates, roles out of
 * order. Shrinks towards one user message without damage.
 */
export function testHistoryArbitrary(options: HistoryOptions = {}): fc.Arbitrary<TestMessage[]> {
  const { size = 4, hostility = 'some', hasGiants = false } = options;
  const text = textFor(hostility);
  const ordinary = fc.array(turnArbitrary(text, 6), { minLength: 1, maxLength: Math.max(1, size) });
  const short = textArbitraryShort();
  const longTurn = turnArbitrary(short, 150, 60).map((turn) => [turn]);
  const many = fc
    .tuple(
      fc.array(turnArbitrary(short, 3), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 100, max: 1_000 }),
    )
    .map(([turns, times]) => Array.from({ length: times }, (_, index) => turns[index % turns.length] ?? []));
  const turns = hasGiants
    ? fc.oneof(
        { withCrossShrink: true },
        { arbitrary: ordinary, weight: 40 },
        { arbitrary: longTurn, weight: 4 },
        { arbitrary: many, weight: 1 },
      )
    : ordinary;
  const history = fc
    .tuple(fc.option(text, { freq: 3 }), turns)
    .map(([prompt, list]) => withCallIds([...systemMessage(prompt), ...list.flat()]));
  if (hostility === 'none') return history;
  const most = hostility === 'some' ? 3 : 12;
  return fc
    .tuple(history, fc.array(damageArbitrary(textArbitrary('hostile')), { maxLength: most }))
    .map(([messages, damages]) => damages.reduce((damaged, damage) => damage.apply(damaged), messages));
}

/** The same as wire messages of a format, said by the testkit's own composers. */
export function historyArbitrary(
  options: HistoryOptions & { readonly format: WireFormat },
): fc.Arbitrary<unknown[]> {
  return testHistoryArbitrary(options)
    .map((messages) => (options.hostility !== 'wild' ? fitFor(options.format, messages) : messages))
    .map((messages) => composeWire(options.format, messages));
}

function textFor(hostility: Hostility): fc.Arbitrary<string> {
  const plain = { arbitrary: textArbitrary('plain'), weight: 40 };
  if (hostility === 'none') return plain.arbitrary;
  const hostile = textArbitrary('hostile');
  return hostility === 'wild' ? hostile : fc.oneof(plain, { arbitrary: hostile, weight: 1 });
}

function textArbitraryShort(): fc.Arbitrary<string> {
  return fc.constantFrom('ok', 'reading src/app/main.ts', 'error: ENOENT 404', '完了');
}

function systemMessage(prompt: string | null): TestMessage[] {
  return prompt === null ? [] : [{ role: 'system', parts: [{ type: 'text', text: prompt }] }];
}

function turnArbitrary(
  text: fc.Arbitrary<string>,
  mostSteps: number,
  leastSteps = 0,
): fc.Arbitrary<TestMessage[]> {
  return fc
    .record({
      request: text,
      image: fc.option(imageArbitrary, { freq: 8 }),
      steps: fc.array(stepArbitrary(text), { minLength: leastSteps, maxLength: mostSteps }),
      answer: fc.option(text),
    })
    .map(({ request, image, steps, answer }) => [
      { role: 'user', parts: [{ type: 'text', text: request }, ...(image ? [image] : [])] },
      ...steps.flat(),
      ...(answer === null ? [] : [{ role: 'assistant', parts: [{ type: 'text', text: answer }] } as const]),
    ]);
}

const imageArbitrary: fc.Arbitrary<TestImage> = fc.constant(pixel);

/** One response with its results. Ids are set later. */
function stepArbitrary(text: fc.Arbitrary<string>): fc.Arbitrary<TestMessage[]> {
  const callArbitrary = fc.record({
    name: fc.constantFrom('read', 'write', 'bash'),
    path: fc.constantFrom('src/a.ts', 'src/b.ts', 'docs/read me.md'),
    content: fc.option(text, { freq: 3 }),
    output: text,
    image: fc.option(imageArbitrary, { freq: 10 }),
    isError: fc.boolean(),
  });
  return fc
    .record({
      thought: fc.option(
        fc.record({ text, signature: fc.constantFrom('c2lnbmF0dXJl', 'RXFRQkNrWUlBeGdD') }),
        { freq: 2 },
      ),
      search: fc.option(text, { freq: 10 }),
      says: fc.option(text),
      calls: fc.array(callArbitrary, { minLength: 1, maxLength: 4 }),
      isSplit: fc.boolean(),
    })
    .map(({ thought, search, says, calls, isSplit }) => {
      const parts: TestPart[] = [];
      if (thought) parts.push({ type: 'reasoning', ...thought });
      if (search !== null) parts.push(...searchParts());
      if (says !== null) parts.push({ type: 'text', text: says });
      for (const { name, path, content } of calls) {
        const input: TestCall['input'] = content === null ? { path } : { path, content };
        parts.push({ type: 'call', callId: '', name, input });
      }
      const results = calls.map(({ name, output, image, isError }): TestPart => ({
        type: 'result',
        callId: '',
        name,
        text: output,
        isError,
        ...(image ? { image } : {}),
      }));
      const messages = isSplit ? results.map((one) => [one]) : [results];
      return [
        { role: 'assistant', parts },
        ...messages.map((list) => ({ role: 'tool' as const, parts: list })),
      ];
    });
}

function searchParts(): TestPart[] {
  const shared = { callId: '', name: 'web_search', isProviderExecuted: true } as const;
  return [
    { type: 'call', ...shared, input: { query: 'x' } },
    { type: 'result', ...shared, text: 'found', isError: false },
  ];
}

/** Numbers the calls, so that every result answers the call it was made for. */
function withCallIds(messages: readonly TestMessage[]): TestMessage[] {
  let count = 0;
  let open: string[] = [];
  return messages.map(({ role, parts }) => {
    if (role === 'assistant') open = [];
    return { role, parts: parts.map(number) };
  });

  function number(part: TestPart): TestPart {
    if (part.type === 'call') {
      count += 1;
      const callId = `${part.isProviderExecuted ? 'srvtoolu' : 'call'}_${count}`;
      if (!part.isProviderExecuted) open.push(callId);
      return { ...part, callId };
    }
    if (part.type !== 'result') return part;
    return { ...part, callId: part.isProviderExecuted ? `srvtoolu_${count}` : (open.shift() ?? 'call_0') };
  }
}

/** Leaves out what a format cannot say, and says the rest the way its clients do. */
function fitFor(format: WireFormat, messages: readonly TestMessage[]): TestMessage[] {
  const merged =
    format === 'anthropic' ? mergeResults(messages.filter(({ role }) => role !== 'system')) : messages;
  const said = merged.map((message) => ({ role: message.role, parts: message.parts.filter(sayable) }));
  return format === 'anthropic' ? trimEnd(said) : said;

  function sayable(part: TestPart): boolean {
    const isProviders = (part.type === 'call' || part.type === 'result') && part.isProviderExecuted === true;
    if (isProviders)
      return format !== 'openai-chat' && !(format === 'openai-responses' && part.type === 'result');
    return true;
  }
}

/** A last message of the assistant may not end in white space. */
function trimEnd(messages: readonly TestMessage[]): TestMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [...messages];
  const parts = last.parts.map((part, index) =>
    part.type === 'text' && index === last.parts.length - 1 ? { ...part, text: part.text.trimEnd() } : part,
  );
  return [...messages.slice(0, -1), { role: last.role, parts }];
}

/** One user message carries all results of a response. */
function mergeResults(messages: readonly TestMessage[]): TestMessage[] {
  const merged: TestMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') {
      merged[merged.length - 1] = { role: 'tool', parts: [...last.parts, ...message.parts] };
    } else merged.push(message);
  }
  return merged;
}

/** How texts may be: `plain` is well-formed and not blank, `hostile` anything. */
type TextKind = 'plain' | 'hostile';

const prose = fc
  .array(
    fc.constantFrom(
      'the',
      'file',
      'src/app/main.ts',
      'fails',
      'with',
      'ERR_42',
      'because',
      '日本語',
      'größe',
    ),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  .map((words) => words.join(' '));
const cjk = repeated(fc.constantFrom('文脈管理', '压缩历史', '한국어', 'データ'), 400);
const base64 = repeated(fc.constantFrom('iVBORw0KGgoAAAANSUhEUg', 'QUJDREVGR0hJSktMTU5PUA'), 400);
const run = repeated(fc.constantFrom('a', ' x', '=', '\n-', '🙂'), 5_000);
const json = fc.json({ maxDepth: 2 }).map((text) => `${text} `);
const giant = repeated(fc.constantFrom('ab', 'line of a log 0x1f\n', '圧縮', '{"k":1},'), 200_000, 10_000);
const surrogates = fc.constantFrom('cut \uD83D', '\uDE00 tail', 'a\uDC00b\uD800c');
const blank = fc.constantFrom('', ' ', '\n\t');
const odd = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `x${text.toWellFormed()}`);

/** Texts as they occur in sessions: prose, code, CJK, base64, long runs, rarely up to 200 000 characters. */
function textArbitrary(kind: TextKind): fc.Arbitrary<string> {
  const plain = [
    { arbitrary: prose, weight: 60 },
    { arbitrary: odd, weight: 8 },
    { arbitrary: json, weight: 8 },
    { arbitrary: cjk, weight: 8 },
    { arbitrary: base64, weight: 6 },
    { arbitrary: run, weight: 6 },
    { arbitrary: giant, weight: 1 },
  ];
  if (kind === 'plain') return fc.oneof({ withCrossShrink: true }, ...plain);
  return fc.oneof(...plain, { arbitrary: surrogates, weight: 6 }, { arbitrary: blank, weight: 8 });
}

/** A piece again and again, up to a length; shrinks to the shortest. */
function repeated(
  piece: fc.Arbitrary<string>,
  mostCharacters: number,
  leastCharacters = 1,
): fc.Arbitrary<string> {
  return fc
    .tuple(piece, fc.integer({ min: leastCharacters, max: mostCharacters }))
    .map(([text, length]) => text.repeat(Math.ceil(length / text.length)));
}

/** Whether anything is left of a history once it is mended: of nothing no request is made. */
export function canBeSent(transcript: Transcript): boolean {
  return renderView(transcript, replay(transcript.conversation, []).view).messages.length > 0;
}
