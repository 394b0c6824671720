import { Agent, MemorySession, run, setTracingDisabled, tool, Usage } from '@openai/agents';
import { describe, expect, it } from 'vitest';
import { openaiAgentsContext } from '../src/openai-agents/index.ts';
import { accept, fileOf, noRequests, policy, task } from './long-agent.ts';
import type { AgentInputItem, Model, ModelRequest, ModelResponse, StreamEvent } from '@openai/agents';
import type { ContextState } from '@throughline/core';

setTracingDisabled(true);

type Output = Extract<StreamEvent, { type: 'response_done' }>['response']['output'];

/** A model of the SDK's own interface that makes these calls in turn, then says that it is done. */
class ScriptedModel implements Model {
  readonly requests = noRequests();
  readonly seen: ModelRequest[] = [];
  readonly #calls: (step: number) => { readonly name: string; readonly input: unknown } | undefined;

  constructor(calls: (step: number) => { readonly name: string; readonly input: unknown } | undefined) {
    this.#calls = calls;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse & { readonly output: Output }> {
    const items = typeof request.input === 'string' ? [request.input] : request.input;
    const inputTokens = accept(this.requests, items, request.systemInstructions, request.tools);
    const step = this.seen.length;
    this.seen.push(request);
    const call = this.#calls(step);
    const said = { type: 'message', role: 'assistant', status: 'completed' } as const;
    const output: Output[number] = call
      ? {
          type: 'function_call',
          callId: `call_${step}`,
          name: call.name,
          arguments: JSON.stringify(call.input),
        }
      : { ...said, content: [{ type: 'output_text', text: 'Done.' }] };
    return {
      usage: new Usage({ inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 }),
      output: [output],
    };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const { usage, output } = await this.getResponse(request);
    const { inputTokens, outputTokens, totalTokens } = usage;
    yield { type: 'response_started' };
    yield {
      type: 'response_done',
      response: { id: 'r', usage: { inputTokens, outputTokens, totalTokens }, output },
    };
  }
}

const read = tool({
  name: 'read',
  description: 'Reads a file.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: [],
    additionalProperties: true,
  },
  strict: false,
  execute: (input) => fileOf(Number((input as { path: string }).path)),
});
const reads = (steps: number) => (step: number) =>
  step < steps ? { name: 'read', input: { path: String(step) } } : undefined;

describe('openaiAgentsContext', () => {
  it('makes every streamed request fit, and takes in its usage', async () => {
    let state: ContextState | undefined;
    const context = openaiAgentsContext({ policy, save: (next) => void (state = next) });
    const model = new ScriptedModel(reads(40));
    const agent = new Agent({ name: 'a', model: context.model(model), tools: [read] });
    const result = await run(agent, task, { stream: true, maxTurns: 100 });
    for await (const _event of result);
    expect(result.finalOutput).toBe('Done.');
    expect(model.requests.refusals).toBe(0);
    expect(state?.usage?.actualTokens).toBeGreaterThan(1_000);
  });

  it('answers the recall tool with what was left out', async () => {
    const context = openaiAgentsContext({ policy });
    const model = new ScriptedModel((step) =>
      step === 30 ? { name: 'recall', input: { id: 'm2' } } : reads(32)(step),
    );
    const tools = [read, tool(context.recallTool)];
    const agent = new Agent({ name: 'a', model: context.model(model), tools });
    // Another conversation with the same object: its ids are the same, its content is not asked for.
    const other = new Agent({ name: 'b', model: context.model(new ScriptedModel(() => undefined)) });
    await run(agent, task, { maxTurns: 100 });
    await run(other, 'Something else.');
    const line = 'limit_0_20 = checkSession(0';
    const { prompts } = model.requests;
    expect(JSON.stringify(prompts[30]).includes(line)).toBe(false);
    expect(JSON.stringify(prompts[31]).includes(line)).toBe(true);
    expect(context.recallTool.execute({ id: 'm2' })).not.toContain(line);
  });

  it('passes through what is asked while the server holds the history', async () => {
    const context = openaiAgentsContext({ policy });
    const model = new ScriptedModel(() => undefined);
    const agent = new Agent({ name: 'a', model: context.model(model) });
    const input: AgentInputItem[] = [
      { type: 'function_call_result', callId: 'x', name: 'y', status: 'completed', output: 'z' },
    ];
    await run(agent, input, { previousResponseId: 'resp_1' });
    expect(model.requests.prompts).toEqual([input]);
  });

  it('hands a run what fits of a session, and the newest items as they are stored', async () => {
    const items: AgentInputItem[] = Array.from({ length: 60 }, (_, turn): AgentInputItem[] => [
      { type: 'message', role: 'user', content: `Question ${turn}: ${'why? '.repeat(100)}` },
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: `Answer ${turn}. ${'Because. '.repeat(100)}` }],
      },
    ]).flat();
    const memory = new MemorySession({ initialItems: items });
    const session = openaiAgentsContext({ policy }).session(memory);
    const handed = await session.getItems();
    expect(handed.length).toBeLessThan(items.length / 2);
    expect(await session.getItems()).toEqual(handed);
    expect(await session.getItems(3)).toEqual(items.slice(-3));
    await session.addItems([{ type: 'message', role: 'user', content: 'And now?' }]);
    expect(await memory.getItems()).toHaveLength(items.length + 1);
    expect((await session.getItems()).slice(0, handed.length)).toEqual(handed);
    expect(await session.popItem()).toMatchObject({ content: 'And now?' });
    expect(await session.getSessionId()).toBe(await memory.getSessionId());
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
  });

  it('leaves calls open that a session still waits for', async () => {
    const items: AgentInputItem[] = [
      { type: 'message', role: 'user', content: task },
      { type: 'function_call', callId: 'c', name: 'read', arguments: '{}', status: 'completed' },
    ];
    const session = openaiAgentsContext({ policy }).session(new MemorySession({ initialItems: items }));
    expect(await session.getItems()).toEqual(items);
  });
});
