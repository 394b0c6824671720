import {
  ContextError,
  convertMessages,
  createStrategy,
  emptyState,
  openaiAgentsCodec,
  openaiChatCodec,
  scriptAwareEstimator,
} from '@throughline/core';
import { protocol } from '@openai/agents';
import { everyday, findShapeFaults, findWireFaults, historyArbitrary } from '@throughline/testkit';
import { modelMessageSchema } from 'ai';
import { modelMessageSchema as schemaOf5 } from 'ai-v5';
import { modelMessageSchema as schemaOf6 } from 'ai-v6';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aiSdkContext, contextMiddleware } from '../src/ai-sdk/index.ts';
import { fitMessages } from '../src/anthropic/index.ts';
import { fitChat, fitResponses } from '../src/openai/index.ts';
import { openaiAgentsContext } from '../src/openai-agents/index.ts';
import type { Policy } from '@throughline/core';

const policy: Policy = { strategy: createStrategy('digest'), budget: { windowTokens: 200_000 } };
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 250);

interface Entrance {
  /** Messages that are valid before they are broken. */
  readonly valid: fc.Arbitrary<unknown[]>;
  readonly fit: (messages: unknown[]) => Promise<readonly unknown[]>;
  readonly faultsOf: (messages: readonly unknown[]) => readonly string[];
}

const written = (
  format: 'openai-chat' | 'openai-responses' | 'anthropic' | 'ai-sdk',
): fc.Arbitrary<unknown[]> => historyArbitrary({ format, hostility: 'none', size: 3 });

interface Schema {
  readonly safeParse: (value: unknown) => { readonly success: boolean };
}

/** What the SDK itself would refuse, by its own schema. */
function refusedBy(schemas: readonly unknown[], messages: readonly unknown[]): readonly string[] {
  const isTaken = (message: unknown): boolean =>
    (schemas as readonly Schema[]).some((schema) => schema.safeParse(message).success);
  return messages.flatMap((message, index) =>
    isTaken(message) ? [] : [`message ${index} is refused by the SDK: ${JSON.stringify(message)}`],
  );
}

const entrances: Readonly<Record<string, Entrance>> = {
  fitChat: {
    valid: written('openai-chat'),
    fit: async (messages) => (await fitChat(messages, emptyState(), { policy })).messages,
    faultsOf: (messages) => [
      ...findShapeFaults('openai-chat', messages),
      ...findWireFaults('openai-chat', messages),
    ],
  },
  fitResponses: {
    valid: written('openai-responses'),
    fit: async (messages) => (await fitResponses(messages, emptyState(), { policy })).messages,
    faultsOf: (messages) => [
      ...findShapeFaults('openai-responses', messages),
      ...findWireFaults('openai-responses', messages),
    ],
  },
  fitMessages: {
    valid: written('anthropic'),
    fit: async (messages) => (await fitMessages(messages, emptyState(), { policy })).messages,
    faultsOf: (messages) => [
      ...findShapeFaults('anthropic', messages),
      ...findWireFaults('anthropic', messages),
      ...trailingSpace(messages),
    ],
  },
  aiSdkContext: {
    valid: written('ai-sdk'),
    fit: async (messages) => {
      const fitted = await aiSdkContext({ policy }).prepareStep({ messages, steps: [] });
      return fitted?.messages ?? messages;
    },
    faultsOf: (messages) => [
      ...refusedBy([modelMessageSchema, schemaOf6, schemaOf5], messages),
      ...findWireFaults('ai-sdk', messages),
    ],
  },
  contextMiddleware: {
    valid: written('ai-sdk'),
    fit: async (messages) => {
      const { prompt } = await contextMiddleware({ policy }).transformParams({
        params: { prompt: messages },
      });
      return prompt;
    },
    faultsOf: (messages) => findWireFaults('ai-sdk', messages),
  },
  openaiAgentsContext: {
    valid: written('openai-chat').map((messages) => {
      const entries = messages.map((message, ordinal) => openaiChatCodec.decode(message, ordinal));
      return [...convertMessages(entries, openaiChatCodec, openaiAgentsCodec).messages];
    }),
    fit: async (input) => {
      const filter = openaiAgentsContext({ policy }).callModelInputFilter;
      return (await filter({ modelData: { input }, agent: {} })).input;
    },
    faultsOf: (messages) => refusedBy([protocol.ModelItem], messages),
  },
};

function trailingSpace(messages: readonly unknown[]): readonly string[] {
  const last = messages.at(-1) as { role?: unknown; content?: unknown };
  const { content } = last;
  const block: unknown = Array.isArray(content) ? content.at(-1) : { type: 'text', text: content };
  const { type, text } = block as { type?: unknown; text?: unknown };
  const isSpace =
    last.role === 'assistant' && type === 'text' && typeof text === 'string' && /\s$/.test(text);
  return isSpace ? ['the last answer ends in white space'] : [];
}

describe('prepareStep', () => {
  it('refuses what are no messages', async () => {
    const { prepareStep } = aiSdkContext({ policy });
    for (const messages of [undefined, null, 'hello', {}, new Map()])
      await expect(prepareStep({ messages: messages as never, steps: [] })).rejects.toMatchObject({
        code: 'invalid-option',
        details: { option: 'messages' },
      });
  });

  it('refuses instructions that cannot be said in JSON', async () => {
    const { prepareStep } = aiSdkContext({ policy });
    const call = prepareStep({
      messages: [{ role: 'user', content: 'go' }],
      steps: [],
      instructions: { tokens: 7n },
    });
    await expect(call).rejects.toMatchObject({ code: 'invalid-option', details: { option: 'instructions' } });
  });
});

interface Break {
  /** Where, as dice: which of the places. */
  readonly place: number;
  readonly how: 'remove' | 'replace' | 'repeat' | 'wrap' | 'rename';
  readonly value: unknown;
}

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, undefined, '', ' ', 'x ', 0, 7, -1.5, true, false),
  fc.constantFrom<unknown[]>([], {}, [null], [''], [[]], [{}], { type: 'text' }, [
    { type: 'text', text: '' },
  ]),
  fc.jsonValue({ maxDepth: 2 }),
);

const breaks: fc.Arbitrary<readonly Break[]> = fc.array(
  fc.record({
    place: fc.nat({ max: 10_000 }),
    how: fc.constantFrom<Break['how']>('remove', 'replace', 'repeat', 'wrap', 'rename'),
    value: junk,
  }),
  { minLength: 1, maxLength: 3 },
);

type Container = Record<string, unknown> | unknown[];

/** Every container inside a value with each of its keys. */
function placesIn(value: unknown): (readonly [Container, string | number])[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [
    [value as Container, key] as const,
    ...placesIn((value as Record<string | number, unknown>)[key]),
  ]);
}

/** Types of blocks and items that are not known are the provider's: nobody here can say what they need. */
function isTypeName([holder, key]: readonly [Container, string | number], value: unknown): boolean {
  return key === 'type' && !Array.isArray(holder) && typeof value === 'string' && value !== '';
}

function broken(messages: readonly unknown[], list: readonly Break[]): unknown[] {
  const copy = structuredClone([...messages]);
  for (const { place, how, value: drawn } of list) {
    // What is drawn twice is one object: broken in its turn it would hold itself, and be another one in the next case.
    const value = structuredClone(drawn);
    const places = placesIn(copy);
    const found = places[place % Math.max(1, places.length)];
    if (!found || isTypeName(found, value)) continue;
    const [holder, key] = found as [Record<string | number, unknown>, string | number];
    if (how === 'remove' && Array.isArray(holder)) holder.splice(Number(key), 1);
    else if (how === 'remove') delete holder[key];
    else if (how === 'repeat' && Array.isArray(holder))
      holder.splice(Number(key), 0, structuredClone(holder[Number(key)]));
    else if (how === 'wrap') holder[key] = [holder[key]];
    else if (how === 'rename' && !Array.isArray(holder)) {
      holder[`${key}x`] = holder[key];
      delete holder[key];
    } else holder[key] = value;
  }
  return copy;
}

/** Whether there is more than the window holds: where it has to stay whole nothing can be sent. */
function isGiant(messages: readonly unknown[]): boolean {
  return scriptAwareEstimator.count(JSON.stringify(messages)) > policy.budget.windowTokens;
}

async function judge({ fit, faultsOf }: Entrance, messages: unknown[]): Promise<void> {
  const before = structuredClone(messages);
  let sent: readonly unknown[];
  try {
    sent = await fit(messages);
  } catch (error) {
    if (!ContextError.is(error)) throw error;
    if (ContextError.is(error, 'cannot-fit') && isGiant(messages)) return;
    expect(['bad-wire-format', 'invalid-option']).toContain(error.code);
    return;
  } finally {
    expect(messages).toEqual(before);
  }
  expect(sent.length).toBeGreaterThan(0);
  expect(faultsOf(sent)).toEqual([]);
}

describe.each(Object.entries(entrances))('%s', (_name, entrance) => {
  it('makes a valid request of messages that were broken in places, or names the place', async () => {
    await fc.assert(
      fc.asyncProperty(entrance.valid, breaks, (messages, list) => judge(entrance, broken(messages, list))),
      { numRuns, plugins: [everyday(120)] },
    );
  });

  it('makes a valid request of any JSON, or names the place', async () => {
    const message = fc.oneof(
      junk,
      fc.record({ role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'x'), content: junk }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 4 }), (messages) => judge(entrance, messages)),
      { numRuns, plugins: [everyday(120)] },
    );
  });
});
