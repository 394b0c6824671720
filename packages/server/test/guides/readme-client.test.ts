import { createClient } from '@throughline/client';
import * as client from '@throughline/client';
import { expect, it } from 'vitest';
import { join } from 'node:path';
import { openCuttingProxy } from '../events/cutting-proxy.ts';
import { openServer } from '../open-server.ts';
import { readFileSync } from 'node:fs';
import { scriptedModelDriver } from '@throughline/testkit';
import { until } from '../events/event-server.ts';
import type { ModelDriver, ModelEvent } from '@throughline/ports';

const root = join(import.meta.dirname, '../../../..');
const pages = ['README.md', 'packages/client/README.md'];

/** The program of a page that reads an answer, as a function of what it imports and of where it prints. */
function programOf(page: string): (imported: unknown, process: unknown, console: unknown) => Promise<void> {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/```ts\n(.*?)```/gs)];
  const block =
    blocks.map(([, code = '']) => code).find((code) => code.includes('client.streamMessage')) ?? '';
  const body = block.replace(/import (\{[^}]*\}) from '[^']+';/g, 'const $1 = imported;');
  // eslint-disable-next-line no-implied-eval -- it is the text of our own page
  return new Function('imported', 'process', 'console', `return (async () => {${body}})();`) as never;
}

/** Lets something happen before each event of the model. */
function withPauses(inner: ModelDriver, before: (event: ModelEvent) => Promise<void>): ModelDriver {
  return {
    ...inner,
    async *stream(request, options) {
      for await (const event of inner.stream(request, options)) {
        await before(event);
        yield event;
      }
    },
  };
}

/** What the model says in two steps, each in two pieces. */
const answers = [
  ['abcde'.repeat(100), 'fghij'.repeat(100)],
  ['01234'.repeat(100), '56789'.repeat(100)],
] as const;
const call = { callId: 'c', name: 'nosuch', input: {} };

it.each(pages)(
  'the program of %s prints all of an answer, wherever its connections are cut',
  async (page) => {
    let written = '';
    let cut = (): void => {};
    const script = scriptedModelDriver([
      { text: 'I help.' },
      { text: answers[0], calls: [call] },
      { text: answers[1] },
    ]);
    // The second piece comes, and its part ends, while the client has no connection.
    const driver = withPauses(script, async (event) => {
      const now = answers.find(([, end]) => event.type === 'text-delta' && event.text === end);
      if (!now) return;
      await until(() => written.includes(now[0]));
      cut();
    });
    await using opened = await openServer({ driver });
    const relay = await openCuttingProxy(() => Number(new URL(opened.url).port), []);
    cut = () => relay.cut();
    const write = (text: string): void => void (written += text);
    const reconnection = { firstWaitMs: 200, longestWaitMs: 200 };
    const imported = { ...client, createClient: () => createClient({ baseUrl: relay.url, reconnection }) };
    await programOf(page)(imported, { stdout: { write } }, { log: write });
    expect(written).toBe(answers.flat().join(''));
  },
);
