import { experimental_createSteering, isStepCount, jsonSchema, ToolLoopAgent, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { aiSdkContext, contextMiddleware } from '../src/ai-sdk/index.ts';
import { sdkVersions } from './ai-sdk-versions.ts';
import { accept, fileOf, noRequests, policy, task } from './long-agent.ts';
import type { LanguageModel, ModelMessage } from 'ai';
import type { Script, ScriptedAnswer } from './ai-sdk-versions.ts';

const [, , seven] = sdkVersions;
const read = tool({
  description: 'Reads a file.',
  inputSchema: jsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } } }),
  execute: ({ path }) => fileOf(Number(/\d+/.exec(path)?.[0])),
});

/** What was sent, and a model that makes these calls in turn and then says that it is done. */
function model(calls: (step: number) => ScriptedAnswer['call']): {
  readonly model: LanguageModel;
  readonly prompts: unknown[][];
} {
  const requests = noRequests();
  let asked = 0;
  const script: Script = ({ prompt, tools }) => {
    const inputTokens = accept(requests, prompt, tools);
    const call = calls(asked);
    asked += 1;
    return call ? { call, inputTokens } : { text: 'Done.', inputTokens };
  };
  return { model: seven!.model(script) as LanguageModel, prompts: requests.prompts };
}

const reads = (steps: number) => (step: number) =>
  step < steps ? { id: `call_${step}`, name: 'read', input: { path: `${step}.ts` } } : undefined;

describe('aiSdkContext in AI SDK 7', () => {
  it('returns nothing while the messages can go as they are', async () => {
    const context = aiSdkContext({ policy });
    const { model: reader } = model(reads(40));
    let edits = 0;
    let steps = 0;
    const agent = new ToolLoopAgent({
      model: reader,
      tools: { read },
      stopWhen: isStepCount(100),
      prepareStep: async (step) => {
        const edit = await context.prepareStep(step);
        steps += 1;
        edits += edit ? 1 : 0;
        return edit;
      },
    });
    const { text } = await agent.generate({ prompt: task });
    expect(text).toBe('Done.');
    expect(steps).toBe(41);
    expect(edits).toBeGreaterThan(0);
    expect(edits).toBeLessThan(steps / 3);
  });

  // The first releases of version 7 have no steering.
  const hasSteering = typeof experimental_createSteering === 'function';
  it.runIf(hasSteering)('keeps what the user says while the agent works', async () => {
    const context = aiSdkContext({ policy });
    const { model: reader, prompts } = model(reads(40));
    const steering = experimental_createSteering();
    const agent = new ToolLoopAgent({
      model: reader,
      tools: { read },
      stopWhen: isStepCount(100),
      prepareStep: context.prepareStep,
    });
    const words = 'Look only at the European accounts.';
    const outcome = steering.steer(words);
    const result = await agent.stream({ prompt: task, experimental_steering: steering });
    await result.consumeStream();
    await expect(outcome).resolves.toMatchObject({ type: 'delivered' });
    for (const prompt of prompts) expect(JSON.stringify(prompt)).toContain(words);
  });

  it('answers the recall tool with what was left out, of this conversation only', async () => {
    const context = aiSdkContext({ policy });
    const { model: reader, prompts } = model((step) =>
      step === 30 ? { id: 'back', name: 'recall', input: { id: 'm2' } } : reads(32)(step),
    );
    const tools = { read, recall: context.recallTool(jsonSchema) };
    const agent = new ToolLoopAgent({
      model: reader,
      tools,
      stopWhen: isStepCount(100),
      prepareStep: context.prepareStep,
    });
    await agent.generate({ prompt: task });
    const line = 'limit_0_20 = checkSession(0';
    expect(JSON.stringify(prompts[30]).includes(line)).toBe(false);
    expect(JSON.stringify(prompts[31]).includes(line)).toBe(true);
    const messages = [{ role: 'user', content: 'Who else has asked here?' }];
    expect(tools.recall.execute({ id: 'm2' }, { messages })).not.toContain(line);
  });

  it('throws one typed error when not even the irreducible part fits', async () => {
    const context = aiSdkContext({ policy, system: 'Never do this. '.repeat(5_000) });
    const prepared = context.prepareStep({ messages: [{ role: 'user', content: task }], steps: [] });
    await expect(prepared).rejects.toMatchObject({
      code: 'cannot-fit',
      details: { parts: expect.anything() },
    });
  });
});

describe('contextMiddleware in AI SDK 7', () => {
  it('serves several conversations at the same time', async () => {
    const { model: talker, prompts } = model(() => undefined);
    const middleware = contextMiddleware({ policy });
    const wrapped = seven!.wrap(talker, middleware);
    const talk = async (name: string): Promise<void> => {
      const messages: ModelMessage[] = [];
      for (let turn = 0; turn < 30; turn += 1) {
        messages.push({
          role: 'user',
          content: `${name}, turn ${turn}. ${'Tell me more about it. '.repeat(40)}`,
        });
        const said = await seven!.run({ model: wrapped, messages: [...messages], tools: {}, maxSteps: 1 });
        messages.push(...(said as ModelMessage[]));
      }
    };
    await Promise.all([talk('first'), talk('second')]);
    expect(prompts).toHaveLength(60);
    for (const prompt of prompts) {
      const text = JSON.stringify(prompt);
      expect(text.includes('first, turn')).not.toBe(text.includes('second, turn'));
    }
  });
});
