import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { overWidth } from './page-facts.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import type { Page } from 'playwright-core';

const words = (name: string): string =>
  Array.from({ length: 400 }, (_, at) => `The ${name} needs src/${name}-${at}.ts changed.`).join(' ');

/** A session of three exchanges that was compacted once. */
async function compactedSession(): Promise<{ readonly url: string; readonly id: string }> {
  const names = ['parser', 'printer', 'reader', 'writer'];
  const site = await openSite({ driver: scriptedModelDriver(names.map((name) => ({ text: words(name) }))) });
  const client = createClient({ baseUrl: site.url });
  const { sessionId: id } = await client.wait({ content: 'Mend the parser in src/parser.ts first' });
  for (const name of names.slice(1)) await client.wait({ sessionId: id, content: `Now the ${name}, please` });
  expect(await client.compact({ id })).toMatchObject({ type: 'compacted' });
  return { url: site.url, id };
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

describeInBrowser('the inspector', () => {
  it('shows every request of a session, why each message is there or gone, and brings back what went', async () => {
    const { url, id } = await compactedSession();
    const { page, faults } = await openPage(`${url}/#/sessions/${id}/inspector`);
    await page.getByText('Gone: summarised by compaction 1').first().waitFor();
    expect(await accessFaults(page)).toEqual([]);
    const slider = page.getByRole('slider', { name: 'Which request' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('Request 4 of 4').waitFor();
    await expect.poll(() => page.getByText('Gone: summarised').count()).toBe(0);
    await page.keyboard.press('End');
    await page.getByText('Gone: summarised by compaction 1').first().waitFor();
    await page.getByRole('button', { name: 'As curl' }).click();
    await page.getByLabel('Command').getByText('$API_KEY').waitFor();
    await page.keyboard.press('Escape');

    await tab(page, 'Compactions');
    await page.getByText(/Facts in what went: [\d,]+ of [\d,]+ can still be read/).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await tab(page, 'What if');
    await page.getByRole('button', { name: 'Try all strategies' }).click();
    await page.getByRole('rowheader', { name: 'threshold-tail' }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await tab(page, 'What goes next');
    await page.getByText(/What can never go: /).waitFor();
    await tab(page, 'Prefix cache');
    await page.getByText(/Written again: /).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await tab(page, 'Compare');
    await page.getByText(/places differ/).waitFor();

    await tab(page, 'Compactions');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('(taken back; can be put in force again)').waitFor();
    await tab(page, 'Request');
    await expect.poll(() => page.getByText('Gone: summarised').count()).toBe(0);
    await tab(page, 'Compactions');
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByText('(in force, the newest)').waitFor();
    await tab(page, 'Request');
    await page.locator('[data-row="m1"] summary').click();
    await page.getByRole('button', { name: 'Put it back into the context' }).click();
    await page.getByText('Here: you pinned it').waitFor();
    expect(faults).toEqual([]);
  });

  it('opens a recorded file in the page, and sends nothing of it anywhere', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(`${site.url}/#/inspector`, { colorScheme: 'dark' });
    await page.getByText('Drop a recorded session on this page').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
    const messages = Array.from({ length: 40 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Step ${at}: ${words(`part${at}`).slice(0, 3_000)}`,
    }));
    const buffer = Buffer.from(JSON.stringify({ model: 'gpt-5', messages }));
    await page
      .getByLabel('Recorded session', { exact: true })
      .setInputFiles({ name: 'chat.json', mimeType: 'application/json', buffer });
    await page.getByText('The next request').first().waitFor();
    await page.getByText('Here: nothing was compacted yet').first().waitFor();
    await page.getByLabel('Window').selectOption('16000');
    await tab(page, 'What if');
    await page.getByRole('button', { name: 'Try all strategies' }).click();
    await page.getByRole('rowheader', { name: 'threshold-tail' }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(asked.filter((request) => !/^GET .*\/assets\//.test(request))).toEqual([]);

    const lines = ['{"role":"user","content":"Hi"}', '{"cut', '{"role":"assistant","content":"Yes."}'];
    await page
      .getByLabel('Recorded session', { exact: true })
      .setInputFiles({ name: 'cut.jsonl', mimeType: '', buffer: Buffer.from(lines.join('\n')) });
    await page.getByText('A note on what was read').click();
    await page.getByText(/^Line 2: /).waitFor();

    const broken = Buffer.from('{"neither": "this"}');
    await page
      .getByLabel('Recorded session', { exact: true })
      .setInputFiles({ name: 'odd.json', mimeType: 'application/json', buffer: broken });
    await page.getByText('odd.json could not be read').waitFor();
    expect(faults).toEqual([]);
  });

  it('works on a page as narrow as that of a phone', async () => {
    const { url, id } = await compactedSession();
    const { page, faults } = await openPage(`${url}/#/sessions/${id}/inspector`, {
      viewport: { width: 390, height: 800 },
    });
    for (const name of ['Compactions', 'What goes next', 'Prefix cache', 'Compare', 'Request']) {
      await tab(page, name);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      expect(await accessFaults(page)).toEqual([]);
    }
    await tab(page, 'What if');
    await page.getByRole('button', { name: 'Try all strategies' }).click();
    const strategies = page.getByRole('region', { name: 'Strategies side by side' });
    await strategies.getByRole('row', { name: /reactive-overflow/ }).waitFor();
    expect(await overWidth(strategies)).toBe(0);
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
