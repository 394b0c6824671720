import { ask, call, dataOf, openAgent, record } from './agent-bench.ts';
import { calls, ends, says } from './event-driver.ts';
import { describe, expect, it } from 'vitest';
import { long } from './long-bench.ts';
import { openaiChatCodec } from '@throughline/core';
import type { Answer } from '@throughline/core';
import type { Driver, ModelDriver, ModelEvent, ModelFailure, StepRequest } from '@throughline/ports';

/** A server that counts every request by its own tokenizer and refuses what is too long, as llama.cpp does. */
function countingServer({
  windowTokens,
  charactersPerToken,
}: {
  windowTokens: number;
  charactersPerToken: number;
}) {
  const refused: string[] = [];
  let asked = 0;
  let steps = 0;
  const count = (...parts: readonly unknown[]): number =>
    Math.ceil(JSON.stringify(parts).length / charactersPerToken) + 30;
  const failureOf = (kind: string, promptTokens: number): ModelFailure | undefined => {
    asked += 1;
    if (promptTokens < windowTokens) return undefined;
    refused.push(kind);
    const message = `request (${promptTokens} tokens) exceeds the available context size (${windowTokens} tokens)`;
    return { kind: 'overflow', message, recoverable: true, promptTokens, limitTokens: windowTokens };
  };
  const answer = function* ({ system, messages, tools }: StepRequest): Generator<ModelEvent> {
    const inputTokens = count(system ?? '', messages, tools ?? []);
    const failure = failureOf('step', inputTokens);
    if (failure) {
      yield { type: 'error', failure, messages: [] };
      return;
    }
    const none = { reasoningTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, totalTokens: 0 };
    const usage = { ...none, inputTokens, outputTokens: 20 };
    steps += 1;
    const text = `Looked at part ${steps}.`;
    const isCalling = steps % 3 !== 0;
    const made = isCalling ? [call(`c${steps}`, 'long', { number: steps })] : [];
    yield* says(text);
    for (const { callId, name, input } of made)
      yield calls(callId, { name, input, inputText: JSON.stringify(input) });
    const { messages: said } = openaiChatCodec.compose({
      role: 'assistant',
      kind: 'converted',
      parts: [{ type: 'text', text }, ...made.map((one) => ({ type: 'call' as const, ...one }))],
    });
    yield ends({
      messages: said,
      usage,
      ...(isCalling && { finish: 'tool-calls', finishReason: 'tool_calls' }),
    });
  };
  const driver: ModelDriver = {
    name: 'counting:model',
    provider: 'counting',
    model: 'model',
    codec: openaiChatCodec,
    limits: { windowTokens },
    async *stream(request) {
      yield* answer(request);
    },
  };
  const summariser: Driver = {
    name: driver.name,
    complete: async ({ system, messages }): Promise<Answer> => {
      const inputTokens = count(system, messages);
      const failure = failureOf('summary', inputTokens);
      if (failure) return { type: 'failed', cause: 'overflow', ...failure };
      const text = '## Completed Work\n- looked at parts\n## Current State\n- going on\n';
      return { type: 'text', text, finish: 'stop', usage: { inputTokens, outputTokens: 20 } };
    },
  };
  return { driver, summariser, refused, asked: () => asked };
}

describe.each([4_096, 16_384])('against a server of %i tokens', (windowTokens) => {
  it.each([1, 2, 3, 4])(
    'with %d characters to a token no more than one request is refused',
    async (charactersPerToken) => {
      const server = countingServer({ windowTokens, charactersPerToken });
      const { agent } = await openAgent([], {
        driver: server.driver,
        tools: [long],
        instructions: 'Be brief.',
        summariser: { type: 'same', driverOf: () => server.summariser },
      });
      const session = await agent.create();
      const events = record(session);
      for (let turn = 1; turn <= 12; turn += 1) {
        expect(await ask(session, `Turn ${turn}: look at the next parts, please.`)).toMatchObject({
          type: 'completed',
        });
        // A background summary is written meanwhile.
        await session.settled();
      }
      expect(server.refused.length).toBeLessThanOrEqual(1);
      if (windowTokens < 10_000) expect(dataOf(events, 'context:compressed').length).toBeGreaterThan(0);
      expect(server.asked()).toBeGreaterThan(30);
    },
  );
});
