import { emptyState, parseState } from '@throughline/core';
import { findWireFaults } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { aiSdkContext, contextMiddleware } from '../src/ai-sdk/index.ts';
import { sdkVersions } from './ai-sdk-versions.ts';
import { accept, countTokens, fileOf, noRequests, policy, task, windowTokens } from './long-agent.ts';
import type { ContextState } from '@throughline/core';
import type { Script, SdkVersion } from './ai-sdk-versions.ts';
import type { AiSdkOptions } from '../src/ai-sdk/index.ts';
import type { Requests } from './long-agent.ts';

const runs = 4;
const stepsPerRun = 30;

/** Reads file after file until its run is over, then answers. */
function reader(requests: Requests): Script {
  let asked = 0;
  return ({ prompt, tools }) => {
    const inputTokens = accept(requests, prompt, tools);
    asked += 1;
    if (asked % stepsPerRun === 0) return { text: `Read up to file ${asked}.`, inputTokens };
    return { call: { id: `call_${asked}`, name: 'read', input: { path: `src/${asked}.ts` } }, inputTokens };
  };
}

function readTool(sdk: SdkVersion): object {
  const inputSchema = sdk.jsonSchema({ type: 'object', properties: { path: { type: 'string' } } });
  const execute = ({ path }: { path: string }): string => fileOf(Number(/\d+/.exec(path)?.[0]));
  return { description: 'Reads a file.', inputSchema, execute };
}

interface Ways {
  /** What of the SDK's options the adapter fills in a process that knows only the stored state. */
  readonly options: (store: { state: ContextState }, model: unknown) => object;
}

/** Four runs in four processes: only the messages and the state as JSON go from one to the next. */
async function longRun(sdk: SdkVersion, isStreamed: boolean, { options }: Ways): Promise<Requests> {
  const requests = noRequests();
  const model = sdk.model(reader(requests));
  const messages: unknown[] = [];
  let stored = JSON.stringify(emptyState());
  for (let run = 0; run < runs; run += 1) {
    const store = { state: parseState(JSON.parse(stored)) };
    messages.push({ role: 'user', content: run === 0 ? task : `Go on with part ${run}.` });
    const tools = { read: readTool(sdk) };
    const given = { model, ...options(store, model) };
    messages.push(
      ...(await sdk.run({ messages: [...messages], tools, maxSteps: 100, isStreamed, ...given })),
    );
    stored = JSON.stringify(store.state);
  }
  requests.fullTokens = countTokens(messages);
  return requests;
}

function judge({ prompts, refusals, fullTokens }: Requests): void {
  expect(refusals).toBe(0);
  expect(prompts).toHaveLength(runs * stepsPerRun);
  expect(fullTokens).toBeGreaterThan(10 * windowTokens);
  for (const [index, prompt] of prompts.entries()) {
    expect(
      findWireFaults('ai-sdk', prompt, { ending: 'send', wantsUserFirst: true }),
      `request ${index}`,
    ).toEqual([]);
    expect(JSON.stringify(prompt)).toContain(task);
  }
  // Between two compactions the prompt only grows.
  const breaks = prompts.filter((prompt, index) => {
    const before = prompts[index - 1] ?? [];
    return !before.every((message, place) => JSON.stringify(message) === JSON.stringify(prompt[place]));
  });
  expect(breaks.length).toBeGreaterThan(5);
  expect(breaks.length).toBeLessThan(prompts.length / 3);
}

const keeping = (store: { state: ContextState }): AiSdkOptions => ({
  policy,
  load: () => store.state,
  save: (next: ContextState) => void (store.state = next),
});

describe.each(sdkVersions)('$name', (sdk) => {
  it('works on through ten windows with prepareStep', async () => {
    const requests = await longRun(sdk, sdk.name === 'AI SDK 7', {
      options: (store) => {
        const { prepareStep, recordStep } = aiSdkContext(keeping(store));
        return { prepareStep, onStepFinish: recordStep };
      },
    });
    judge(requests);
  });

  it('works on through ten windows with the middleware', async () => {
    const requests = await longRun(sdk, sdk.name !== 'AI SDK 7', {
      options: (store, model) => ({ model: sdk.wrap(model, contextMiddleware(keeping(store))) }),
    });
    judge(requests);
  });
});
