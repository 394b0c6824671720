import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import type { Page } from 'playwright-core';

const input = (page: Page) => page.getByLabel('Message', { exact: true });
const title = (page: Page) => page.getByRole('heading', { level: 1 });
const listed = (page: Page) => page.getByRole('navigation', { name: 'Sessions' }).getByRole('link');

async function begin(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'New session' }).click();
  await input(page).fill(text);
  await page.keyboard.press('Enter');
}

async function sayInOtherWords(page: Page, text: string): Promise<void> {
  await page.locator('article[data-message="0"]').hover();
  await page.getByRole('button', { name: 'Actions for message 1' }).click();
  await page.getByRole('menuitem', { name: 'Say it in other words' }).click();
  const field = page.getByLabel('The message in other words');
  await field.fill(text);
  await field.press('Enter');
}

describeInBrowser('the title of a session', () => {
  it('is what the user said first while the first run still works', async () => {
    const driver = scriptedModelDriver([{ text: ['Half of ', 'it'], hangs: true }]);
    const site = await openSite({ driver, agent: { titles: 'code' } });
    const { page, faults } = await openPage(site.url);
    await begin(page, 'Fix the login. It is broken since Monday.');
    await page.getByText('Half of it').waitFor();
    await title(page).getByText('Fix the login', { exact: true }).waitFor();
    await listed(page).filter({ hasText: 'Fix the login' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('tells the versions of a message apart, and stays where the user gave it', async () => {
    const driver = scriptedModelDriver([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }]);
    const site = await openSite({ driver, agent: { titles: 'code' } });
    const { page, faults } = await openPage(site.url);
    await begin(page, 'Fix the login. In Rust.');
    await page.getByText('One', { exact: true }).waitFor();
    await sayInOtherWords(page, 'Fix the login. In Go.');
    await page.getByText('Two', { exact: true }).waitFor();
    await title(page).getByText('… In Go', { exact: true }).waitFor();
    await expect.poll(() => listed(page).allInnerTexts()).toHaveLength(2);
    const names = (await listed(page).allInnerTexts()).map((text) => text.split('\n')[0]);
    expect(names.toSorted()).toEqual(['Fix the login', '… In Go']);
    await page.keyboard.press('F2');
    await page.keyboard.type('Mine');
    await page.keyboard.press('Enter');
    await title(page).getByText('Mine', { exact: true }).waitFor();
    await sayInOtherWords(page, 'Fix the page.');
    await page.getByText('Three', { exact: true }).waitFor();
    await title(page).getByText('Mine', { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it('and what was said show the characters that turn letters around, and a copy has them as they were', async () => {
    const answer = 'It is exe\u202Efdp.txt\n\n```sh\nrm \u2066-rf\u2069 \u202Ebin\n```\n\nמסמך `src/a.ts`';
    const driver = scriptedModelDriver([{ text: answer }]);
    const site = await openSite({ driver });
    const client = createClient({ baseUrl: site.url });
    const { sessionId: id } = await client.wait({ content: 'Read \u202Etxt.exe' });
    await client.renameSession({ id, title: 'Read \u202Etxt.exe' });
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const shown = 'Read ⟨U+202E⟩txt.exe';
    await title(page).getByText(shown, { exact: true }).waitFor();
    await listed(page).filter({ hasText: shown }).waitFor();
    await page.locator('article[data-message="0"]').getByText(shown).waitFor();
    const said = page.locator('article[data-message="1"]');
    await said.getByText('It is exe⟨U+202E⟩fdp.txt').waitFor();
    await said.getByText('rm ⟨U+2066⟩-rf⟨U+2069⟩ ⟨U+202E⟩bin').waitFor();
    await said.getByText('מסמך src/a.ts').waitFor();
    await page.getByRole('button', { name: 'Actions for message 2' }).click();
    await page.getByRole('menuitem', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(answer);
    expect(faults).toEqual([]);
  });
});
