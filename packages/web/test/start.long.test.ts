import { accessFaults } from './accessible.ts';
import { expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import type { Response } from 'playwright-core';

const mostBytes = 170_000;

describeInBrowser('the first minute', () => {
  it('tries the demo, copies lines with the address of this server, and opens the example in the inspector', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(site.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('heading', { name: 'Try it now' }).waitFor();
    await page.getByText('Put it between a client and its model').click();
    const line = `ANTHROPIC_BASE_URL=${site.url}/proxy/claude claude`;
    await page.getByText(line).waitFor();
    await page.getByRole('button', { name: 'Copy: Claude Code' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(line);
    expect(await accessFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);

    await page.getByRole('link', { name: 'example in the inspector' }).click();
    await page.getByRole('heading', { level: 1, name: /tide clock/i }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'make a plan' }).click();
    await page.getByText('I make a plan.').waitFor();
    expect(page.url()).toContain('/sessions/');
    expect(faults).toEqual([]);
  });

  it('loads at most 170 kB of compressed script before the first message can be sent', async () => {
    const site = await openSite();
    const { page } = await openPage('about:blank');
    const sizes: Promise<number>[] = [];
    const weigh = (answer: Response): void => {
      if (answer.url().endsWith('.js')) sizes.push(answer.body().then((body) => gzipSync(body).length));
    };
    page.on('response', weigh);
    await page.goto(site.url);
    await page.getByRole('button', { name: 'New session' }).click();
    await page.getByLabel('Message', { exact: true }).fill('help');
    // What comes from now on is not of the first load, and the page is closed before it is read.
    page.off('response', weigh);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(mostBytes);
  });
});
