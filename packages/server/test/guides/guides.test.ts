import { createElement } from 'react';
import type { TestElement } from 'jsdom';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Chat } from './chat.tsx';
import { compatibleRoutes } from '../../src/compatible/compatible-routes.ts';
import { openDocument } from '../support/open-document.ts';
import { openBench, press, serve, until } from '../support/serve.ts';
import { talkAsAnthropic, talkAsOpenai } from './model-clients.ts';
import { uiStreamRoutes } from '../../src/ui-stream/ui-stream-routes.ts';

describe('what the guides show', () => {
  it('a chat page: sends, asks for an approval, and shows what came of it', async () => {
    const bench = await openBench(
      [
        { text: 'I press it.', calls: [{ callId: 'c', name: 'press', input: { button: 'red' } }] },
        { text: 'It is pressed.' },
      ],
      { tools: [press], approvals: { isAttended: () => true } },
    );
    const api = `${await serve(uiStreamRoutes(bench.services))}/api/chat`;
    const document = openDocument();
    const { createRoot } = await import('react-dom/client');
    const root = createRoot(document.querySelector('main') ?? {});
    onTestFinished(() => root.unmount());
    const shows = (text: string): Promise<void> =>
      until(() => document.querySelector('main')?.textContent?.includes(text) ?? false);
    const click = async (name: string): Promise<void> => {
      const named = (): TestElement | undefined =>
        [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name);
      await until(() => named() !== undefined);
      named()?.click();
    };
    root.render(createElement(Chat, { id: 'chat-1', api }));
    await until(() => document.querySelector('input') !== null);
    document.querySelector('input')!.value = 'Press the red button';
    await click('Send');
    await shows('I press it.');
    await click('Allow');
    await shows('It is pressed.');
    expect(document.querySelector('pre')?.textContent).toBe('"pressed red"');
  });

  it("OpenAI's SDK and Anthropic's", async () => {
    const texts = ['One', 'Two', 'Three', 'Four'];
    const bench = await openBench([...texts.map((text) => ({ text })), { reasoning: 'hm', text: 'Five' }]);
    const address = await serve(compatibleRoutes(bench.services));
    const printed: string[] = [];
    expect(await talkAsOpenai(address, 'none', (text) => printed.push(text))).toEqual(texts);
    const { content } = await talkAsAnthropic(address, 'none', (text) => printed.push(text));
    expect(content).toMatchObject([{ thinking: 'hm' }, { text: 'Five' }]);
    expect(printed).toEqual(['One', 'Five']);
    const { items } = await bench.store.sessions.list();
    expect(items.map(({ messageCount }) => messageCount).toSorted((a, b) => a - b)).toEqual([2, 4, 4]);
    expect(items.some(({ id }) => id === 'my-conversation')).toBe(true);
  });
});
