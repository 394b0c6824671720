import { withCutDetection, withIdleTimeout, withRetry, withToolFallback } from '@throughline/drivers';
import { systemTimer } from '@throughline/ports';
import type { ModelDriver, ModelEvent, ModelFailure, ModelUsage, StepRequest } from '@throughline/ports';
import { scriptedModelDriver } from '@throughline/testkit';
import type { ScriptedStep } from '@throughline/testkit';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readStep } from './read-step.ts';
import { scriptedTimer } from './scripted-timer.ts';

const request: StepRequest = { messages: [{ role: 'user', content: 'Hello' }], conversationId: 'c' };
const down: ScriptedStep = { failure: { kind: 'provider', recoverable: true } };
const good: ScriptedStep = { text: 'Good day.' };
const elapsed = Array.from({ length: 9 }, () => 'elapsed' as const);

describe('withRetry', () => {
  it('waits twice as long each time, up to 30 seconds, and tells each wait', async () => {
    const timer = scriptedTimer(...elapsed);
    const driver = scriptedModelDriver([down, down, down, down, down, good]);
    const retried = withRetry(driver, { clock: timer, timer, attempts: 6 });
    const { events, text } = await readStep(retried, request);
    expect(timer.waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000]);
    expect(text).toBe('Good day.');
    const retries = events.filter((event) => event.type === 'retry');
    expect(retries.map(({ attempt }) => attempt)).toEqual([2, 3, 4, 5, 6]);
    expect(retries[1]).toMatchObject({ delayMs: 4_000, nextAtMs: 1_006_000, reason: { kind: 'provider' } });
  });

  it('waits as long as the server asks', async () => {
    const timer = scriptedTimer(...elapsed);
    const slow: ScriptedStep = { failure: { kind: 'rate', retryAfterMs: 45_000 } };
    await readStep(withRetry(scriptedModelDriver([slow, good]), { clock: timer, timer }), request);
    expect(timer.waits).toEqual([45_000]);
  });

  it('does not wait for a server that asks for too much', async () => {
    const timer = scriptedTimer();
    const slow: ScriptedStep = { failure: { kind: 'rate', retryAfterMs: 3_600_000 } };
    const { last } = await readStep(withRetry(scriptedModelDriver([slow]), { clock: timer, timer }), request);
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'rate', retryAfterMs: 3_600_000 } });
  });

  it('gives up after five tries', async () => {
    const timer = scriptedTimer(...elapsed);
    const driver = scriptedModelDriver([down, down, down, down, down]);
    const { last } = await readStep(withRetry(driver, { clock: timer, timer }), request);
    expect(last).toMatchObject({ type: 'error', failure: { kind: 'provider' } });
    expect(driver.requests).toHaveLength(5);
  });

  it.each([
    { kind: 'overflow', recoverable: true },
    { kind: 'bytes', recoverable: true },
    { kind: 'media', recoverable: true },
    { kind: 'auth', recoverable: false },
    { kind: 'rate', recoverable: false },
    { kind: 'provider', recoverable: false },
    { kind: 'cancelled', recoverable: false },
  ] as const)('does not try again what waiting cannot mend: %j', async (failure) => {
    const timer = scriptedTimer();
    const driver = scriptedModelDriver([{ failure }]);
    const { last } = await readStep(withRetry(driver, { clock: timer, timer }), request);
    expect(last).toMatchObject({ type: 'error', failure });
  });

  it('does not begin anew once something was seen', async () => {
    const timer = scriptedTimer();
    for (const seen of [
      { text: 'Half' },
      { reasoning: 'Hm' },
      { calls: [{ callId: 'a', name: 'b', input: {} }] },
    ]) {
      const driver = scriptedModelDriver([{ ...seen, ...down }]);
      const { last } = await readStep(withRetry(driver, { clock: timer, timer }), request);
      expect(last.type).toBe('error');
    }
  });

  it('shows nothing of a try that nobody saw', async () => {
    const timer = scriptedTimer(...elapsed);
    const beginnings: readonly ModelEvent[] = [
      { type: 'response-start', response: { id: 'first' } },
      { type: 'text-start', id: 'text' },
      { type: 'text-end', id: 'text' },
    ];
    const failure: ModelFailure = { kind: 'provider', message: 'reset', recoverable: true };
    const driver = eventDriver([...beginnings, { type: 'error', failure, messages: [] }], good);
    const { events } = await readStep(withRetry(driver, { clock: timer, timer }), request);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'text-start', 'text-delta', 'text-end', 'end']);
  });

  it('ends at once when it is cancelled while it waits', async () => {
    const abort = new AbortController();
    const timer = scriptedTimer('never');
    const driver = withRetry(scriptedModelDriver([down]), { clock: timer, timer });
    const events: ModelEvent[] = [];
    for await (const event of driver.stream(request, { signal: abort.signal })) {
      events.push(event);
      if (event.type === 'retry') setImmediate(() => abort.abort());
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'cancelled' } });
  });
});

describe('withIdleTimeout', () => {
  it('ends a step of which nothing comes any more, and keeps its text', async () => {
    const timer = scriptedTimer('never', 'never', 'never', 'elapsed');
    const driver = slowly(scriptedModelDriver([{ text: 'Half', hangs: true }]));
    const { text, last } = await readStep(withIdleTimeout(driver, { timer }), request);
    expect(text).toBe('Half');
    expect(last).toMatchObject({
      type: 'error',
      failure: { kind: 'timeout', recoverable: true, message: 'nothing came for 300 seconds' },
      messages: [{ content: 'Half' }],
    });
    expect(timer.waits).toEqual([600_000, 300_000, 300_000, 300_000]);
  });

  it('sets a timer for silence alone, and none for each event that lies ready', async () => {
    const timer = scriptedTimer('elapsed');
    const driver = scriptedModelDriver([{ text: 'Half of very many words', hangs: true }]);
    const { last } = await readStep(withIdleTimeout(driver, { timer }), request);
    expect(last).toMatchObject({ failure: { kind: 'timeout' } });
    expect(timer.waits).toEqual([300_000]);
  });

  it('waits longer for the first event, and a retry mends it', async () => {
    const idle = scriptedTimer('elapsed');
    const timer = scriptedTimer('elapsed');
    const driver = scriptedModelDriver([{ hangs: true }, good]);
    const whole = withRetry(withIdleTimeout(driver, { timer: idle, firstMs: 50 }), { clock: timer, timer });
    const { text, events } = await readStep(whole, request);
    expect(text).toBe('Good day.');
    expect(events[0]).toMatchObject({ type: 'retry', reason: { kind: 'timeout' } });
  });

  it('gives a model that thinks in silence the time of the first event', async () => {
    const timer = scriptedTimer();
    const begun: ModelEvent = { type: 'response-start', response: {} };
    const driver = slowly(eventDriver([begun, ...saidNothing], good));
    await readStep(withIdleTimeout(driver, { timer }), request);
    expect(timer.waits.slice(0, 2)).toEqual([600_000, 600_000]);
  });

  it('leaves a step alone that goes on, and a cancelled one cancelled', async () => {
    const driver = withIdleTimeout(scriptedModelDriver([good, good]), { timer: scriptedTimer() });
    expect((await readStep(driver, request)).last.type).toBe('end');
    expect((await readStep(driver, request, AbortSignal.abort())).last).toMatchObject({
      failure: { kind: 'cancelled' },
    });
  });
});

describe('withToolFallback', () => {
  const tools = [{ name: 'read', description: '', inputSchema: { type: 'object' } }];
  const refusal: ScriptedStep = {
    failure: {
      kind: 'provider',
      recoverable: false,
      unsupported: 'tools',
      message: 'does not support tools',
    },
  };

  it('sends the step again without tools, and the next steps without from the start', async () => {
    const driver = scriptedModelDriver([refusal, good, good]);
    const whole = withToolFallback(driver);
    const { events } = await readStep(whole, { ...request, tools, toolChoice: 'required' });
    expect(events[0]).toMatchObject({ type: 'warning', warning: { type: 'left-out', what: 'tools' } });
    expect((await readStep(whole, { ...request, tools })).last.type).toBe('end');
    expect(driver.requests.map(({ tools: sent }) => sent)).toEqual([tools, undefined, undefined]);
  });

  it('passes the refusal on where there were no tools', async () => {
    const { last } = await readStep(withToolFallback(scriptedModelDriver([refusal])), request);
    expect(last).toMatchObject({ type: 'error', failure: { unsupported: 'tools' } });
  });
});

describe('withCutDetection', () => {
  const usage = (inputTokens: number, outputTokens = 10): Partial<ModelUsage> => ({
    inputTokens,
    outputTokens,
  });
  const detect = (
    steps: readonly ScriptedStep[],
    estimates: readonly number[],
    windowTokens: number | undefined = 4_096,
  ): ModelDriver => {
    let asked = 0;
    return withCutDetection(scriptedModelDriver(steps), {
      estimateTokens: () => estimates[asked++] ?? 0,
      windowTokens: () => windowTokens,
    });
  };

  it('sees that Ollama has cut the prompt to half the window', async () => {
    const { last, events } = await readStep(detect([{ text: 'Hi', usage: usage(2_050) }], [9_000]), request);
    expect(last).toMatchObject({ type: 'end', wasCut: true });
    expect(events).toContainEqual({
      type: 'warning',
      warning: { type: 'prompt-cut', promptTokens: 2_050, expectedTokens: 9_000 },
    });
  });

  it('asks for the window once the prompt was cut, and tells it with the end', async () => {
    let asked = 0;
    const steps = [
      { text: 'Hi', usage: usage(3_000) },
      { text: 'Hi', usage: usage(2_050) },
    ];
    const estimates = [3_300, 9_000];
    const driver = withCutDetection(scriptedModelDriver(steps), {
      estimateTokens: () => estimates.shift() ?? 0,
      windowTokens: () => 4_096,
      discoverWindow: async () => {
        asked += 1;
        return 2_048;
      },
    });
    expect((await readStep(driver, request)).last).not.toHaveProperty('windowTokens');
    expect(asked).toBe(0);
    expect((await readStep(driver, request)).last).toMatchObject({ wasCut: true, windowTokens: 2_048 });
    expect(asked).toBe(1);
  });

  it('sees a count that does not grow with the history', async () => {
    const driver = detect(
      [
        { text: 'Hi', usage: usage(3_900) },
        { text: 'Hi', usage: usage(3_905) },
      ],
      [3_900, 4_400],
      undefined,
    );
    expect((await readStep(driver, request)).last).not.toHaveProperty('wasCut');
    expect((await readStep(driver, request)).last).toMatchObject({ wasCut: true });
  });

  it('remembers a step whose reader stops at the end', async () => {
    const said = (tokens: number): ScriptedStep => ({ text: 'Hi', usage: usage(tokens) });
    const driver = detect([said(3_900), said(3_905)], [3_900, 4_400], undefined);
    for await (const event of driver.stream(request, { signal: new AbortController().signal })) {
      if (event.type === 'end') break;
    }
    expect((await readStep(driver, request)).last).toMatchObject({ wasCut: true });
  });

  it.each([
    ['an honest count', [{ text: 'Hi', usage: usage(3_000) }], [3_300]],
    ['a small request, however wrong the estimate', [{ text: 'Hi', usage: usage(300) }], [1_000]],
    ['a server that tells no usage', [{ text: 'Hi' }], [9_000]],
    [
      'a history that was compacted',
      [
        { text: 'Hi', usage: usage(3_900) },
        { text: 'Hi', usage: usage(900) },
      ],
      [3_900, 950],
    ],
  ] as const)('says nothing of %s', async (_, steps, estimates) => {
    const driver = detect(steps, estimates);
    for (let index = 0; index < steps.length; index += 1) {
      const { last, events } = await readStep(driver, request);
      expect(last).not.toHaveProperty('wasCut');
      expect(events.map(({ type }) => type)).not.toContain('warning');
    }
  });

  it('does not compare conversations with each other', async () => {
    const driver = detect(
      [
        { text: 'Hi', usage: usage(3_900) },
        { text: 'Hi', usage: usage(3_900) },
      ],
      [3_900, 4_600],
      undefined,
    );
    await readStep(driver, request);
    expect((await readStep(driver, { ...request, conversationId: 'other' })).last).not.toHaveProperty(
      'wasCut',
    );
  });

  it('remembers the conversations that were used last', async () => {
    const ids = ['a', ...Array.from({ length: 999 }, (_, at) => `b${at}`), 'a'];
    const steps = ids.map((_, at) => ({ text: 'Hi', usage: usage(at === 1_000 ? 3_000 : 3_050) }));
    const estimates = ids.map((_, at) => (at === 1_000 ? 4_000 : 3_000));
    const driver = detect(steps, estimates, 64_000);
    for (const conversationId of ids.slice(0, -1)) await readStep(driver, { ...request, conversationId });
    expect((await readStep(driver, { ...request, conversationId: 'a' })).last).toMatchObject({
      wasCut: true,
    });
  });

  it('takes an answer that ends well before the end of the window for what it says it is', async () => {
    const step = (outputTokens: number): ScriptedStep => {
      return { text: 'Hi', finish: 'length', usage: usage(3_000, outputTokens) };
    };
    expect((await readStep(detect([step(1_096)], [3_000]), request)).last).toMatchObject({
      finish: 'window-full',
    });
    expect((await readStep(detect([step(900)], [3_000]), request)).last).toMatchObject({ finish: 'length' });
  });

  it('calls an answer that stopped at the end of the window by its name', async () => {
    const wall: ScriptedStep = { text: 'Half', finish: 'length', usage: usage(3_830, 266) };
    expect((await readStep(detect([wall], [3_830]), request)).last).toMatchObject({ finish: 'window-full' });
    const asked = await readStep(detect([wall], [3_830]), { ...request, maxOutputTokens: 266 });
    expect(asked.last).toMatchObject({ finish: 'length' });
  });

  it('takes an empty answer to a prompt that fills the window for the overflow it is', async () => {
    const empty: ScriptedStep = { finish: 'length', usage: usage(4_090, 0) };
    expect((await readStep(detect([empty], [5_000]), request)).last).toMatchObject({
      type: 'error',
      failure: { kind: 'overflow', recoverable: true, promptTokens: 4_090 },
    });
    expect((await readStep(detect([{}], [4_500]), request)).last).toMatchObject({
      failure: { kind: 'overflow' },
    });
    expect((await readStep(detect([{}], [1_000]), request)).last.type).toBe('end');
  });

  it.each(['refusal', 'paused'] as const)(
    'takes a %s for what it is, however full the window',
    async (finish) => {
      const { last } = await readStep(
        detect([{ text: '', finish, usage: usage(4_090, 0) }], [4_090]),
        request,
      );
      expect(last).toMatchObject({ type: 'end', finish });
    },
  );

  it('warns of a prompt beyond the window that went through', async () => {
    const { events, last } = await readStep(detect([{ text: 'Hi', usage: usage(5_000) }], [5_000]), request);
    expect(events).toContainEqual({
      type: 'warning',
      warning: { type: 'beyond-window', promptTokens: 5_000, windowTokens: 4_096 },
    });
    expect(last.type).toBe('end');
  });
});

describe('systemTimer', () => {
  it('waits, and stops when it is aborted', async () => {
    expect(await systemTimer.wait(1)).toBe('elapsed');
    expect(await systemTimer.wait(1_000_000, AbortSignal.abort())).toBe('aborted');
    const abort = new AbortController();
    const waiting = systemTimer.wait(1_000_000, abort.signal);
    abort.abort();
    expect(await waiting).toBe('aborted');
  });
});

const saidNothing: readonly ModelEvent[] = [
  { type: 'end', finish: 'stop', finishReason: 'stop', messages: [], response: {} },
];

/** These events for the first step, then a scripted one. */
/** Each event comes a moment after the one before. */
function slowly(driver: ModelDriver): ModelDriver {
  return {
    ...driver,
    async *stream(asked, options): AsyncGenerator<ModelEvent, void, undefined> {
      for await (const event of driver.stream(asked, options)) {
        await pause(5);
        yield event;
      }
    },
  };
}

function eventDriver(events: readonly ModelEvent[], then: ScriptedStep): ModelDriver {
  const rest = scriptedModelDriver([then]);
  let isFirst = true;
  return {
    ...rest,
    async *stream(asked, options): AsyncGenerator<ModelEvent, void, undefined> {
      if (!isFirst) yield* rest.stream(asked, options);
      else {
        isFirst = false;
        yield* events;
      }
    },
  };
}
