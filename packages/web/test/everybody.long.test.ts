import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { defineTool } from '@throughline/agent';
import { expect, it } from 'vitest';
import { goTo, overWidth } from './page-facts.ts';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { z } from 'zod';

const bash = defineTool({
  name: 'bash',
  description: 'Runs.',
  input: z.object({ command: z.string() }),
  approval: 'ask',
  execute: () => Promise.resolve('done by bash'),
});

const arabic =
  'مرحبا، هذا جواب طويل عن `src/parse.ts` وعن المحلل.\n\n```js\nconst a = 1; // ltr\n```\n\nשלום עולם';

describeInBrowser('a page of twice the size', () => {
  it('has room for everything, moves nothing by itself for who wants that, and reads from right to left what is written so', async () => {
    const driver = scriptedModelDriver([
      { text: arabic },
      { calls: [{ callId: 'c1', name: 'bash', input: { command: 'ls' } }] },
    ]);
    const site = await openSite({ driver, agent: { tools: [bash] } });
    const client = createClient({ baseUrl: site.url });
    const { sessionId } = await client.wait({ content: 'שלום, מה קורה ב־src/parse.ts?' });
    // 1440 by 900 at 200 %.
    const { page, faults } = await openPage(site.url, {
      viewport: { width: 720, height: 450 },
      deviceScaleFactor: 2,
      reducedMotion: 'reduce',
    });
    await goTo(page, `/sessions/${sessionId}`);
    await page.getByRole('group', { name: 'Code' }).waitFor();
    for (const [part, expected] of [
      ['article[data-message="0"] p', 'rtl'],
      ['article[data-message="1"] p', 'rtl'],
      ['[data-streamdown="code-block-body"]', 'ltr'],
    ] as const) {
      // What is drawn again, when its size is known or its colours have come, is not there for a moment.
      const direction = `(() => {
        const element = document.querySelector('${part}');
        return element ? getComputedStyle(element).direction : 'not there';
      })()`;
      await expect.poll(() => page.evaluate(direction)).toBe(expected);
    }
    await client.sendMessage({ sessionId, content: 'run it' });
    const allow = page.getByRole('button', { name: 'Allow once' });
    await allow.waitFor();
    const moving = await page.evaluate(
      `document.getAnimations().filter((one) => one.playState === 'running' && one.effect.getComputedTiming().duration > 1).length`,
    );
    expect(moving).toBe(0);
    expect(await overWidth(page.locator('html'))).toBe(0);
    expect(await overWidth(page.getByRole('log'))).toBe(0);
    await allow.scrollIntoViewIfNeeded();
    await allow.click({ trial: true });
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sessions' }).click();
    await page.keyboard.press('Escape');
    await page.locator('button[aria-label=Sessions]:focus').waitFor();
    expect(faults).toEqual([]);
  });
});
