import OpenAI from 'openai';
import { Agent, MemorySession, OpenAIResponsesModel, Runner, setTracingDisabled, tool } from '@openai/agents';
import { emptyState, parseState } from '@throughline/core';
import { findWireFaults } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { openaiAgentsContext } from '../src/openai-agents/index.ts';
import { accept, countTokens, fileOf, noRequests, policy, task, windowTokens } from './long-agent.ts';
import type { AgentInputItem, Model, Session } from '@openai/agents';
import type { ContextState } from '@throughline/core';
import type { OpenaiAgentsContext, OpenaiAgentsOptions } from '../src/openai-agents/index.ts';
import type { Requests } from './long-agent.ts';

setTracingDisabled(true);

const runs = 4;
const stepsPerRun = 30;

/** The real model class of the SDK over a server that reads file after file until the run is over. */
function readingModel(requests: Requests): Model {
  let asked = 0;
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const body = JSON.parse(init?.body as string) as {
      input: unknown[];
      instructions: string;
      tools: unknown[];
    };
    const tokens = accept(requests, body.input, body.instructions, body.tools);
    asked += 1;
    const id = `call_${asked}`;
    const said = { type: 'message', id: `msg_${asked}`, role: 'assistant', status: 'completed' };
    const text = `Read up to file ${asked}.`;
    const call = { type: 'function_call', id: `fc_${asked}`, call_id: id, name: 'read', status: 'completed' };
    const output = [
      { type: 'reasoning', id: `rs_${asked}`, summary: [], encrypted_content: 'sealed'.repeat(20) },
      asked % stepsPerRun === 0
        ? { ...said, content: [{ type: 'output_text', text, annotations: [] }] }
        : { ...call, arguments: JSON.stringify({ path: `src/${asked}.ts` }) },
    ];
    const usage = { input_tokens: tokens, output_tokens: 10, total_tokens: tokens + 10 };
    return Response.json({ id: `resp_${asked}`, status: 'completed', output, usage });
  };
  const client = new OpenAI({ apiKey: 'none', maxRetries: 0, baseURL: 'http://127.0.0.1:9/v1', fetch });
  return new OpenAIResponsesModel(client, 'gpt-test');
}

const read = tool({
  name: 'read',
  description: 'Reads a file.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: true,
  },
  strict: false,
  execute: (input) => fileOf(Number(/\d+/.exec((input as { path: string }).path)?.[0])),
});

interface Way {
  readonly name: string;
  readonly model: (context: OpenaiAgentsContext, model: Model) => Model;
  readonly session: (context: OpenaiAgentsContext, stored: Session) => Session;
  readonly hasFilter: boolean;
}

const ways: readonly Way[] = [
  {
    name: 'the model and a session of the SDK',
    model: (context, model) => context.model(model),
    session: (_context, stored) => stored,
    hasFilter: false,
  },
  {
    name: 'the call-model input filter and a session that compacts',
    model: (_context, model) => model,
    session: (context, stored) => context.session(stored),
    hasFilter: true,
  },
];

/** Four runs in four processes: only the stored items and the state as JSON go from one to the next. */
async function longRun(way: Way): Promise<{ readonly requests: Requests; readonly items: AgentInputItem[] }> {
  const requests = noRequests();
  const model = readingModel(requests);
  let items: AgentInputItem[] = [];
  let stored = JSON.stringify(emptyState());
  for (let run = 0; run < runs; run += 1) {
    let state: ContextState = parseState(JSON.parse(stored));
    const options: OpenaiAgentsOptions = { policy, load: () => state, save: (next) => void (state = next) };
    const context = openaiAgentsContext(options);
    const { callModelInputFilter } = context;
    const agent = new Agent({
      name: 'Reader',
      instructions: 'You are careful.',
      model: way.model(context, model),
      modelSettings: { store: false },
      tools: [read],
    });
    const memory = new MemorySession({ initialItems: items });
    const input = run === 0 ? task : `Go on with part ${run}.`;
    const runner = new Runner(way.hasFilter ? { callModelInputFilter } : {});
    const result = await runner.run(agent, input, { session: way.session(context, memory), maxTurns: 100 });
    await context.recordUsage(result.rawResponses.at(-1)?.usage);
    items = JSON.parse(JSON.stringify(await memory.getItems())) as AgentInputItem[];
    stored = JSON.stringify(state);
  }
  requests.fullTokens = countTokens(items);
  return { requests, items };
}

describe('OpenAI Agents SDK', () => {
  it.each(ways)('works on through ten windows with $name', async (way) => {
    const { requests, items } = await longRun(way);
    expect(requests.refusals).toBe(0);
    expect(requests.prompts).toHaveLength(runs * stepsPerRun);
    expect(requests.fullTokens).toBeGreaterThan(10 * windowTokens);
    for (const [index, prompt] of requests.prompts.entries()) {
      const faults = findWireFaults('openai-responses', prompt, { ending: 'send', wantsUserFirst: true });
      expect(faults, `request ${index}`).toEqual([]);
      expect(JSON.stringify(prompt)).toContain(task);
    }
    // What is stored is the history as it was said, and nothing of what the engine wrote.
    const users = items.filter((item) => 'role' in item && item.role === 'user');
    expect(users.map((item) => ('content' in item ? item.content : ''))).toEqual([
      task,
      ...Array.from({ length: runs - 1 }, (_, run) => `Go on with part ${run + 1}.`),
    ]);
    expect(items.filter(({ type }) => type === 'function_call_result')).toHaveLength(
      runs * (stepsPerRun - 1),
    );
    expect(JSON.stringify(items)).not.toContain('characters left out');
  });
});
