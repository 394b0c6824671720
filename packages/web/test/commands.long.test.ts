import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { createDemoDriver } from '@throughline/drivers';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { readFile } from 'node:fs/promises';
import { systemTimer } from '@throughline/ports';

describeInBrowser('the palette and the keys', () => {
  it('finds sessions by title, what was said in any, and what can be done, with the keyboard alone', async () => {
    const site = await openSite();
    const client = createClient({ baseUrl: site.url });
    const { id: first } = await client.createSession({ title: 'Parser of dates' });
    await client.wait({ sessionId: first, content: 'the quick brown fox' });
    await client.createSession({ title: 'Something else' });
    const { page, faults } = await openPage(site.url);
    const field = page.getByRole('combobox', { name: 'Find a session' });
    const options = page.getByRole('option');
    const find = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await field.fill(text);
    };

    await page.getByRole('link', { name: /Parser of dates/ }).waitFor();
    await find('dates pars');
    await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringContaining('Parser of dates')]);
    expect(await accessFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Parser of dates' }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);

    await find('dark');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');

    await find('brown fox');
    await options.getByText('the quick').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/at\/m\d/);

    await find('no such thing');
    await page.getByText('Nothing says “no such thing”.').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);

    await page.keyboard.press('Control+Shift+O');
    await page.getByLabel('Message', { exact: true }).waitFor();
    await expect.poll(async () => (await client.listSessions({})).items.length).toBe(3);
    expect(faults).toEqual([]);
  });

  it('shows its keys, and turns those off that are a single character', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(site.url);
    const list = page.getByRole('dialog', { name: 'Keys of this page' });
    await page.getByRole('button', { name: 'New session' }).waitFor();
    await page.keyboard.press('?');
    await list.getByText('Begin a new session').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await list.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await expect.poll(() => list.count()).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'New session' }).waitFor();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+/');
    await list.getByRole('checkbox').waitFor();
    expect(await list.getByRole('checkbox').isChecked()).toBe(false);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('the header of a session', () => {
  it('renames in place, goes on with another model, forks and exports', async () => {
    const other = { ...createDemoDriver({ timer: systemTimer, wordDelayMs: 0 }), name: 'demo:other' };
    const site = await openSite({ otherDrivers: [other] });
    const client = createClient({ baseUrl: site.url });
    const { id } = await client.createSession({ title: 'Old title' });
    await client.wait({ sessionId: id, content: 'help' });
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
    const title = page.getByRole('heading', { level: 1 });

    await title.getByText('Old title').waitFor();
    await page.keyboard.press('F2');
    await page.keyboard.type('New title');
    await page.keyboard.press('Enter');
    await title.getByText('New title').waitFor();
    await title.dblclick();
    await page.getByLabel('Title of the session').fill('Not this');
    await page.keyboard.press('Escape');
    await title.getByText('New title').waitFor();
    expect((await client.getSession({ id })).title).toBe('New title');

    await page.getByRole('button', { name: 'Model' }).click();
    await page.getByRole('menuitem', { name: 'demo:other' }).click();
    await page.getByText('Now with demo:other').waitFor();
    await page.getByRole('button', { name: 'Model demo:other' }).waitFor();
    expect((await client.getSession({ id })).model).toBe('demo:other');

    const more = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'More for this session' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const download = page.waitForEvent('download');
    await more('Export as JSON lines');
    const file = await download;
    expect(file.suggestedFilename()).toBe('New title.jsonl');
    expect(await readFile(await file.path(), 'utf8')).toContain('help');
    await more('Fork');
    await page.getByText('This is the fork').waitFor();
    expect(page.url()).not.toContain(id);
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
