import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { afterFrames, goTo } from './page-facts.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import type { Page } from 'playwright-core';

const longAnswer = 'It fails because a name is used before it is there. '.repeat(90);
const usage = { inputTokens: 100_000, cacheReadTokens: 40_000, outputTokens: 20_000 };
const steps = Array.from({ length: 4 }, () => ({ text: longAnswer, usage }));
/** Dollars for a million: 2 in, 10 out, 0.1 from the cache. */
const priced = {
  ...scriptedModelDriver(steps),
  name: 'anthropic:claude-sonnet-5-5',
  model: 'claude-sonnet-5-5',
};
const unpriced = { ...scriptedModelDriver([{ text: 'Mine', usage }]), name: 'own:model', model: 'of-my-own' };

const meter = (page: Page) => page.getByRole('button', { name: /Show what fills it/ });
const cost = (page: Page) => meter(page).locator('[data-cost]');
const panel = (page: Page) => page.getByRole('region', { name: 'This session so far' });

describeInBrowser('what a session has spent', () => {
  it('stands in the header and its panel, and outlasts a compaction, an undo, a reload and another model', async () => {
    const site = await openSite({ driver: priced, otherDrivers: [unpriced] });
    const client = createClient({ baseUrl: site.url });
    const { id } = await client.createSession({ title: 'Priced' });
    for (let turn = 0; turn < 3; turn += 1) await client.wait({ sessionId: id, content: `Question ${turn}` });
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
    await cost(page).getByText('≈ $0.97').waitFor();
    await client.wait({ sessionId: id, content: 'And live' });
    await cost(page).getByText('≈ $1.30').waitFor();
    await client.compact({ id, strategy: 'digest' });
    await page.getByRole('region', { name: /^Context compacted/ }).waitFor();
    await client.undoCompaction({ id });
    await page.getByRole('region', { name: /^Compaction taken back/ }).waitFor();
    await client.switchModel({ id, model: 'own:model' });
    await client.wait({ sessionId: id, content: 'And you?' });
    await page.reload();
    await cost(page).getByText('≈ $1.30').waitFor();
    await meter(page).click();
    await panel(page)
      .getByText('≈ $1.30 by list prices, without 1 of models whose price is not known')
      .waitFor();
    await panel(page).getByText('500K tokens, 40 % from the cache').waitFor();
    await panel(page).getByText('100K tokens', { exact: true }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('takes nothing of the page with it where its code cannot be loaded', async () => {
    const site = await openSite({ driver: scriptedModelDriver([{ text: 'Here it is', usage }]) });
    const { sessionId } = await createClient({ baseUrl: site.url }).wait({ content: 'Well?' });
    const { page, faults } = await openPage(site.url);
    const failing = page.waitForEvent('requestfailed', (request) => /session-spent/.test(request.url()));
    await page.route(/session-spent/, (route) => route.abort());
    await goTo(page, `/sessions/${sessionId}`);
    const url = (await failing).url();
    // Asked for once more, it fails behind the first time.
    await page.evaluate(`import(${JSON.stringify(url)}).catch(() => undefined)`);
    await afterFrames(page);
    await meter(page).waitFor();
    await page.getByText('Here it is').waitFor();
    expect(faults).toEqual([]);
  });

  it('has no cost where no price is known, and nothing in the header of a phone', async () => {
    const own = { ...scriptedModelDriver([{ text: 'Mine', usage }]), model: 'of-my-own' };
    const site = await openSite({ driver: own });
    const client = createClient({ baseUrl: site.url });
    const { sessionId } = await client.wait({ content: 'Well?' });
    const { page, faults } = await openPage(`${site.url}/#/sessions/${sessionId}`, {
      viewport: { width: 390, height: 844 },
    });
    await meter(page).click();
    await panel(page).getByText('100K tokens, 40 % from the cache').waitFor();
    expect(await panel(page).innerText()).not.toContain('$');
    expect(await cost(page).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
