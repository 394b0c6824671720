import { isStepCount, jsonSchema, ToolLoopAgent } from 'ai';
import { emptyState } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { aiSdkContext, contextMiddleware } from '../src/ai-sdk/index.ts';
import { sdkVersions } from './ai-sdk-versions.ts';
import { accept, fileOf, noRequests, policy, task } from './long-agent.ts';
import type { ContextState } from '@throughline/core';
import type { LanguageModel, ModelMessage, ToolSet } from 'ai';
import type { Script, SdkVersion } from './ai-sdk-versions.ts';

const system = 'Answer in one sentence.';
const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } };
const anthropic = 'anthropic.messages';
const seven = sdkVersions[2] as SdkVersion;

interface Sent {
  readonly role: string;
  readonly content: unknown;
  readonly providerOptions?: { readonly [provider: string]: Readonly<Record<string, unknown>> };
}

const isMarked = ({ providerOptions }: Sent): boolean =>
  providerOptions?.['anthropic']?.['cacheControl'] !== undefined;

const marksIn = (prompt: readonly Sent[]): readonly number[] =>
  prompt.flatMap((message, index) => (isMarked(message) ? [index] : []));

/** The message without its mark, and without what is empty then. */
function bare(message: Sent): Sent {
  if (!isMarked(message)) return message;
  const { providerOptions, ...rest } = message;
  const { anthropic: options, ...others } = providerOptions ?? {};
  const { cacheControl: _, ...own } = options ?? {};
  const kept = { ...others, ...(Object.keys(own).length > 0 && { anthropic: own }) };
  return { ...rest, ...(Object.keys(kept).length > 0 && { providerOptions: kept }) };
}

const withoutMarks = (prompt: readonly Sent[]): string =>
  JSON.stringify(
    prompt.map((message) => {
      const { role, content, providerOptions } = bare(message);
      return { role, content, providerOptions };
    }),
  );

interface Way {
  readonly provider?: string;
  readonly cacheMarks?: boolean;
  readonly isStreamed?: boolean;
  /** How many files it reads. @default 40, which is several windows */
  readonly steps?: number;
  /** How the adapter stands in the loop. */
  readonly options: (adapter: object, model: unknown, sdk: SdkVersion) => object;
}

const prepared: Way['options'] = (adapter) => {
  const { prepareStep, recordStep } = aiSdkContext(adapter as Parameters<typeof aiSdkContext>[0]);
  return { prepareStep, onStepFinish: recordStep };
};
const wrapped: Way['options'] = (adapter, model, sdk) => ({
  model: sdk.wrap(model, contextMiddleware(adapter as Parameters<typeof contextMiddleware>[0])),
});
/** A loop that keeps its messages as JSON between the steps. */
const copied: Way['options'] = (adapter) => {
  const { prepareStep } = aiSdkContext(adapter as Parameters<typeof aiSdkContext>[0]);
  type Step = Parameters<typeof prepareStep>[0];
  return { prepareStep: async (step: Step) => structuredClone(await prepareStep(step)) };
};

/** One run that reads file after file through several windows. What was sent, and what was kept. */
async function runOf(
  sdk: SdkVersion,
  { provider = anthropic, cacheMarks, isStreamed = false, steps = 40, options }: Way,
): Promise<{ prompts: Sent[][]; kept: string }> {
  const prompts: Sent[][] = [];
  const requests = noRequests();
  const script: Script = ({ prompt }) => {
    prompts.push(prompt as Sent[]);
    const inputTokens = accept(requests, JSON.parse(withoutMarks(prompt as Sent[])) as unknown[]);
    const asked = prompts.length;
    if (asked > steps) return { text: 'Done.', inputTokens };
    return { call: { id: `call_${asked}`, name: 'read', input: { path: `${asked}.ts` } }, inputTokens };
  };
  const model = sdk.model(script, provider);
  const kept: string[] = [];
  let state: ContextState = emptyState();
  const adapter = {
    policy,
    ...(cacheMarks !== undefined && { cacheMarks }),
    load: (messages: unknown) => (kept.push(JSON.stringify(messages)), state),
    save: (next: ContextState, messages: unknown) => {
      state = next;
      kept.push(JSON.stringify([next, messages]));
    },
  };
  const inputSchema = sdk.jsonSchema({ type: 'object', properties: { path: { type: 'string' } } });
  const execute = ({ path }: { path: string }): string => fileOf(Number(/\d+/.exec(path)?.[0]));
  const messages = [{ role: 'user', content: task }];
  const said = await sdk.run({
    model,
    system,
    messages,
    tools: { read: { description: 'Reads a file.', inputSchema, execute } },
    maxSteps: 100,
    isStreamed,
    ...options(adapter, model, sdk),
  });
  return { prompts, kept: [...kept, JSON.stringify([messages, said])].join('\n') };
}

describe.each(sdkVersions)('cache marks in $name', (sdk) => {
  const isSeven = sdk === seven;
  it.each([
    // Before version 7 `prepareStep` does not see the system text.
    ['prepareStep', prepared, isSeven, false],
    ['prepareStep of a stream', prepared, isSeven, true],
    ['the middleware', wrapped, true, false],
    ['prepareStep of a loop that copies', copied, isSeven, false],
  ])('move along with the run by %s, and change nothing else', async (_, options, hasSystem, isStreamed) => {
    const { prompts, kept } = await runOf(sdk, { options, isStreamed });
    const plain = await runOf(sdk, { options, isStreamed, cacheMarks: false });
    expect(plain.prompts.flatMap(marksIn)).toEqual([]);
    expect(prompts.map(withoutMarks)).toEqual(plain.prompts.map(withoutMarks));
    expect(kept).not.toContain('cacheControl');
    let compactions = 0;
    let summaries = 0;
    for (const [step, prompt] of prompts.entries()) {
      const summary = prompt.findLastIndex(
        ({ providerOptions }) => providerOptions?.['throughline']?.['kind'] === 'summary',
      );
      if (step > 0 && prompt.length < (prompts[step - 1] ?? []).length) compactions += 1;
      const marks = marksIn(prompt);
      expect(marks).toContain(prompt.length - 1);
      expect(marks.includes(0)).toBe(hasSystem || summary === 0);
      if (summary >= 0) expect(marks).toContain(summary);
      summaries += summary >= 0 ? 1 : 0;
      expect(JSON.stringify(prompt).split('cacheControl').length - 1).toBe(marks.length);
      expect(marks.length).toBeLessThanOrEqual(4);
    }
    expect(compactions).toBeGreaterThan(1);
    expect(summaries).toBeGreaterThan(10);
  });

  it.each([
    ['google.vertex.anthropic.messages', true],
    ['bedrock.anthropic.messages', true],
    ['amazon-bedrock', false],
    ['openai.chat', false],
  ])('are set for %s: %s', async (provider, isSet) => {
    for (const options of [prepared, wrapped]) {
      const { prompts } = await runOf(sdk, { provider, steps: 12, options });
      expect(prompts.every((prompt) => marksIn(prompt).length > 0)).toBe(isSet);
      expect(prompts.some((prompt) => marksIn(prompt).length > 0)).toBe(isSet);
    }
  });
});

describe('cache marks of the client', () => {
  const read: ToolSet[string] = { inputSchema: jsonSchema({ type: 'object' }), execute: () => 'A file.' };

  /** Asks once for each tool call, then says that it is done. */
  async function promptsOf(
    context: { readonly cacheMarks?: boolean; readonly tools?: readonly unknown[] },
    { messages, tools, instructions }: { messages: ModelMessage[]; tools: ToolSet; instructions?: unknown },
  ): Promise<{ prompts: Sent[][]; tools: unknown[] }> {
    const prompts: Sent[][] = [];
    const seen: unknown[] = [];
    const model = seven.model((params) => {
      prompts.push(params.prompt as Sent[]);
      seen.push(params.tools);
      const call = { id: `c${prompts.length}`, name: 'read', input: {} };
      return prompts.length < 4 ? { call, inputTokens: 50 } : { text: 'Done.', inputTokens: 50 };
    }, anthropic);
    const agent = new ToolLoopAgent({
      model: model as LanguageModel,
      tools,
      stopWhen: isStepCount(9),
      ...(instructions !== undefined && { instructions: instructions as string }),
      prepareStep: aiSdkContext({ policy, ...context }).prepareStep,
    });
    await agent.generate({ messages });
    return { prompts, tools: seen };
  }

  it('stay where they are, and count', async () => {
    const given: ModelMessage[] = [
      { role: 'user', content: [{ type: 'text', text: task, providerOptions: mark }] },
      { role: 'assistant', content: 'Tell me more.', providerOptions: mark },
      { role: 'user', content: 'It began on Monday.' },
    ];
    const tools = { read: { ...read, providerOptions: mark } as ToolSet[string] };
    const instructions = { role: 'system', content: system };
    const before = structuredClone(given);
    const { prompts } = await promptsOf(
      { tools: Object.values(tools) },
      { messages: given, tools, instructions },
    );
    expect(given).toEqual(before);
    expect(prompts).toHaveLength(4);
    for (const prompt of prompts) {
      expect(JSON.stringify(prompt[1])).toContain('cacheControl');
      // Three are the client's, so that one is left: it stands on the newest message.
      expect(marksIn(prompt)).toEqual([2, prompt.length - 1]);
    }
  });

  it('leave one free for tools that are not seen', async () => {
    const tools = { read: { ...read, providerOptions: mark } as ToolSet[string] };
    const messages: ModelMessage[] = [
      { role: 'user', content: task, providerOptions: mark },
      { role: 'assistant', content: 'Tell me more.' },
      { role: 'user', content: 'It began on Monday.' },
    ];
    const { prompts, tools: seen } = await promptsOf({}, { messages, tools, instructions: system });
    expect(JSON.stringify(seen[0])).toContain('cacheControl');
    for (const prompt of prompts) expect(marksIn(prompt)).toEqual([0, 1, prompt.length - 1]);
  });

  it('stay where the client sets one on a message that had ours', async () => {
    const context = aiSdkContext({ policy });
    const model = { provider: anthropic, modelId: 'claude' };
    const plain = { role: 'user', content: task };
    await context.prepareStep({ model, steps: [], messages: [plain] });
    const lasting = { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } };
    const own = { ...plain, providerOptions: lasting };
    const answer = { role: 'assistant', content: 'Tell me more.' };
    const second = await context.prepareStep({ model, steps: [], messages: [own, answer] });
    expect(second?.messages[0]).toEqual(own);
  });

  it('are told from ours where both stand on the newest message in turn', async () => {
    const context = aiSdkContext({ policy });
    const model = { provider: anthropic, modelId: 'claude' };
    const own = { role: 'user', content: task, providerOptions: mark };
    const first = await context.prepareStep({ model, steps: [], messages: [own] });
    expect(first).toBeUndefined();
    const answer = { role: 'assistant', content: 'Tell me more.' };
    const more = { role: 'user', content: 'It began on Monday.' };
    const second = await context.prepareStep({ model, steps: [], messages: [own, answer, more] });
    const third = await context.prepareStep({
      model: { provider: 'openai.chat', modelId: 'gpt' },
      steps: [],
      messages: [...(second?.messages ?? []), answer, more],
    });
    expect(marksIn((second?.messages ?? []) as Sent[])).toEqual([0, 2]);
    // Another model reads none: ours are taken off again, the client’s stays.
    expect(third?.messages).toEqual([own, answer, more, answer, more]);
  });
});

describe('the recall tool beside cache marks', () => {
  it('finds what was left out', async () => {
    const context = aiSdkContext({ policy });
    const answers: string[] = [];
    let asked = 0;
    const model = seven.model(() => {
      asked += 1;
      const isLast = asked > 31;
      const call =
        asked === 31
          ? { id: 'back', name: 'recall', input: { id: 'm2' } }
          : { id: `call_${asked}`, name: 'read', input: { path: `${asked}.ts` } };
      return isLast ? { text: 'Done.', inputTokens: 900 } : { call, inputTokens: 900 };
    }, anthropic);
    const recall = context.recallTool(jsonSchema);
    const agent = new ToolLoopAgent({
      model: model as LanguageModel,
      tools: {
        read: {
          inputSchema: jsonSchema<{ path: string }>({ type: 'object' }),
          execute: ({ path }: { path: string }) => fileOf(Number(/\d+/.exec(path)?.[0])),
        },
        recall: {
          ...recall,
          execute: (input: unknown, options: { readonly messages: readonly unknown[] }) => {
            answers.push(recall.execute(input, options));
            return answers.at(-1);
          },
        },
      },
      stopWhen: isStepCount(100),
      prepareStep: context.prepareStep,
    });
    await agent.generate({ prompt: task });
    expect(answers[0]).toContain('limit_1_20 = checkSession(20');
  });
});
