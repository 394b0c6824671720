import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import { createOpenAI } from '@ai-sdk/openai';
import { createStrictUpstream } from '@throughline/testkit';
import { createWork } from './clients/scripted-work.ts';
import { describe, expect, it } from 'vitest';
import { generateText, isStepCount, jsonSchema, streamText, tool as aiTool } from 'ai';
import OpenAI from 'openai';
import { startProxy } from '../packages/proxy/test/start-proxy.ts';
import type { LanguageModel } from 'ai';

const windowTokens = 4_500;
const windows = 10;
const stepTokens = 900;
const steps = Math.ceil((windows * windowTokens) / stepTokens);
const work = createWork({ steps, bytes: stepTokens * 4 });

interface Command {
  readonly command: string;
}

/** What the program of the work would print. */
function runStep({ command }: Command): string {
  const step = command.split(' ')[2];
  const line = `of step ${step}: the account was moved to the other ledger because the first one was closed.\n`;
  return `STEP ${step} begins\n${line.repeat(Math.round((stepTokens * 3.6) / line.length))}STEP ${step} ends`;
}

const parameters = {
  type: 'object',
  properties: { command: { type: 'string' }, description: { type: 'string' } },
  required: ['command', 'description'],
  additionalProperties: false,
} as const;

setTracingDisabled(true);

type Ask = (url: string) => Promise<string>;

const aiSdk =
  (modelOf: (url: string) => LanguageModel, isStreamed: boolean): Ask =>
  async (url) => {
    const bash = aiTool({ inputSchema: jsonSchema<Command>(parameters), execute: runStep });
    const asked = {
      model: modelOf(url),
      prompt: work.prompt,
      tools: { bash },
      stopWhen: isStepCount(steps + 5),
      maxRetries: 0,
      // Else it refers to what it has said by id, and the history is the server's.
      providerOptions: { openai: { store: false } },
    };
    return isStreamed ? await streamText(asked).text : (await generateText(asked)).text;
  };

const agents =
  (modelOf: (client: OpenAI) => OpenAIChatCompletionsModel | OpenAIResponsesModel): Ask =>
  async (url) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', maxRetries: 0 });
    const bash = tool({
      name: 'bash',
      description: 'Runs a command.',
      parameters: { ...parameters, required: [...parameters.required] },
      strict: true,
      execute: (input) => runStep(input as Command),
    });
    const agent = new Agent({
      name: 'clerk',
      instructions: 'Be brief.',
      model: modelOf(client),
      tools: [bash],
    });
    return String((await run(agent, work.prompt, { maxTurns: steps + 5 })).finalOutput);
  };

const openai = (url: string): ReturnType<typeof createOpenAI> =>
  createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' });

const clients: Readonly<Record<string, Ask>> = {
  'the AI SDK over chat completions, streamed': aiSdk((url) => openai(url).chat('m'), true),
  'the AI SDK over Responses': aiSdk((url) => openai(url).responses('m'), false),
  'the Agents SDK over chat completions': agents((client) => new OpenAIChatCompletionsModel(client, 'm')),
  'the Agents SDK over Responses': agents((client) => new OpenAIResponsesModel(client, 'm')),
};

describe.each(Object.entries(clients))('%s, through the proxy', (_name, ask) => {
  it('works for ten windows, and neither side sees that there is one', async () => {
    const upstream = await createStrictUpstream({ windowTokens, answer: work.script });
    await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens });
    const last = await ask(proxy.url);
    await upstream.stop();
    expect(last).toBe(work.lastWord);
    expect(upstream.faults).toEqual([]);
    expect(upstream.requests.filter(({ status }) => status !== 200)).toEqual([]);
    const texts = upstream.requests.flatMap(
      ({ answer }) => /^Step (\d+) is next/.exec(answer?.text ?? '')?.[1] ?? [],
    );
    expect(texts.map(Number)).toEqual(Array.from({ length: steps }, (_, index) => index + 1));
    expect(proxy.lines.filter((line) => line.includes(' compaction: ')).length).toBeGreaterThan(windows);
  });
});
