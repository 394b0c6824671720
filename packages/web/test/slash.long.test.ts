import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import type { Page } from 'playwright-core';

const input = (page: Page) => page.getByLabel('Message', { exact: true });
const list = (page: Page) => page.getByRole('listbox', { name: 'Commands' });
const options = (page: Page) => list(page).getByRole('option');
const said = (page: Page) => page.getByRole('status');

/** What a screen reader says of the field: the option that its `aria-activedescendant` names. */
async function active(page: Page): Promise<string> {
  const id = await input(page).getAttribute('aria-activedescendant');
  return id === null ? '' : await page.locator(`[id="${id}"]`).innerText();
}

async function openSession(site: { readonly url: string }, said_: string) {
  const client = createClient({ baseUrl: site.url });
  const { id } = await client.createSession({ title: 'Here' });
  await client.wait({ sessionId: id, content: said_ });
  const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
  await page.getByRole('log').getByText(said_, { exact: true }).waitFor();
  return { client, id, page, faults };
}

describeInBrowser('a message that begins with a slash', () => {
  it('offers what can be done, by keys and by a press, and keeps its text when the list is closed', async () => {
    const site = await openSite({ driver: scriptedModelDriver([{ text: 'Yes' }]) });
    const { client, id, page, faults } = await openSession(site, 'Well?');
    await input(page).fill('/');
    await options(page).filter({ hasText: '/compact' }).waitFor();
    expect(await active(page)).toContain('/compact');
    await expect.poll(() => said(page).first().innerText()).toContain('commands: the arrows choose');
    expect(await accessFaults(page)).toEqual([]);
    await page.keyboard.press('ArrowUp');
    // What cannot be done now stands last, and says so.
    expect(await active(page)).toContain('not now');
    await page.keyboard.press('ArrowDown');
    expect(await active(page)).toContain('/compact');
    await page.keyboard.press('Escape');
    await list(page).waitFor({ state: 'detached' });
    expect(await input(page).inputValue()).toBe('/');
    await page.keyboard.type('f');
    expect(await list(page).count()).toBe(0);
    await input(page).fill('');
    await input(page).pressSequentially('/ren');
    expect(await options(page).allInnerTexts()).toHaveLength(1);
    await page.keyboard.press('Enter');
    await page.getByLabel('Title of the session').waitFor();
    await page.keyboard.press('Escape');
    expect(await input(page).inputValue()).toBe('');
    await input(page).fill('/rename');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('Title of the session').press('Escape');
    await input(page).fill('/n');
    await options(page).filter({ hasText: '/new' }).click();
    await expect.poll(async () => (await client.listSessions({})).items.length).toBe(2);
    expect((await client.listMessages({ id })).items).toHaveLength(2);
    expect(faults).toEqual([]);
  });

  it('compacts with what is written behind the command, which Tab completes', async () => {
    const driver = scriptedModelDriver([{ text: 'Yes' }]);
    const site = await openSite({ driver });
    const { page, faults } = await openSession(site, 'Well?');
    const asked = page.waitForRequest('**/compact');
    await input(page).fill('/co');
    await page.keyboard.press('Tab');
    expect(await input(page).inputValue()).toBe('/compact ');
    await page.keyboard.type('the names of files');
    await options(page).getByText('the names of files').waitFor();
    await page.keyboard.press('Enter');
    expect((await asked).postDataJSON()).toEqual({ focus: 'the names of files' });
    expect(await input(page).inputValue()).toBe('');
    expect(driver.requests).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it('is sent as it is where it is no command, and where the list was closed', async () => {
    const driver = scriptedModelDriver([{ text: 'Yes' }, { text: 'A path' }, { text: 'A word' }]);
    const site = await openSite({ driver });
    const { page, faults } = await openSession(site, 'Well?');
    await input(page).pressSequentially('/etc/hosts');
    expect(await list(page).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByText('A path').waitFor();
    expect(JSON.stringify(driver.requests.at(-1))).toContain('"/etc/hosts"');
    await input(page).pressSequentially('/compact');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByText('A word').waitFor();
    expect(JSON.stringify(driver.requests.at(-1))).toContain('"/compact"');
    expect(faults).toEqual([]);
  });
});
