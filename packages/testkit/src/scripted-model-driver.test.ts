import type { ModelEvent, StepRequest } from '@throughline/ports';
import { describe, expect, it } from 'vitest';
import { scriptedModelDriver } from './scripted-model-driver.ts';
import type { ScriptedModelDriver } from './scripted-model-driver.ts';

const request: StepRequest = { messages: [{ role: 'user', content: 'Hello' }] };

async function read(
  driver: ScriptedModelDriver,
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of driver.stream(request, { signal })) events.push(event);
  return events;
}

describe('scriptedModelDriver', () => {
  it('plays its steps in turn, remembers what it was asked, and throws when asked once too often', async () => {
    const driver = scriptedModelDriver([
      { reasoning: 'Hm.', text: ['Good ', 'day.'], usage: { inputTokens: 9 } },
      ({ messages }) => ({ calls: [{ callId: 'a', name: 'read', input: { count: messages.length } }] }),
    ]);
    const first = await read(driver);
    expect(first.map(({ type }) => type).join(' ')).toBe(
      'reasoning-start reasoning-delta reasoning-end text-start text-delta text-delta text-end end',
    );
    expect(first.at(-1)).toMatchObject({ finish: 'stop', usage: { inputTokens: 9, outputTokens: 0 } });
    const second = await read(driver);
    expect(second).toContainEqual(expect.objectContaining({ type: 'call' }));
    expect(second.at(-1)).toMatchObject({ finish: 'tool-calls', messages: [{ role: 'assistant' }] });
    expect(driver.requests).toEqual([request, request]);
    await expect(read(driver)).rejects.toThrow('2 steps');
  });

  it('fails as it is told, with the text so far', async () => {
    const driver = scriptedModelDriver([{ text: 'Half', failure: { kind: 'rate' } }]);
    expect((await read(driver)).at(-1)).toMatchObject({
      type: 'error',
      failure: { kind: 'rate', recoverable: true },
      messages: [{ content: 'Half' }],
    });
  });

  it('hangs until it is cancelled', async () => {
    const abort = new AbortController();
    const events = read(scriptedModelDriver([{ text: 'Half', hangs: true }]), abort.signal);
    abort.abort();
    expect((await events).at(-1)).toMatchObject({ type: 'error', failure: { kind: 'cancelled' } });
  });
});
