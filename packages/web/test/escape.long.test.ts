import { accessFaults } from './accessible.ts';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import type { OpenedPage } from './open-site.ts';
import type { Page } from 'playwright-core';

const input = (page: Page) => page.getByLabel('Message', { exact: true });
const stop = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true });
const hint = (page: Page) => page.locator('[data-hint]').getByText('Esc again stops it');

/** A session whose run is at work until it is stopped, with the focus in the input. */
async function openWorking(): Promise<OpenedPage> {
  const driver = scriptedModelDriver([{ text: ['Half of ', 'it'], hangs: true }]);
  const site = await openSite({ driver });
  const opened = await openPage(site.url);
  const { page } = opened;
  await page.getByRole('button', { name: 'New session' }).click();
  await input(page).fill('Begin');
  await page.keyboard.press('Enter');
  await page.getByText('Half of it').waitFor();
  await stop(page).waitFor();
  return opened;
}

/** The clock of the page stands still: how long a press takes on a busy machine is nothing to it. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

describeInBrowser('Escape in the input', () => {
  it('stops the agent when it is pressed twice within a second, and says so after the first press', async () => {
    const { page, faults } = await openWorking();
    await stopClock(page);
    await input(page).press('Escape');
    await hint(page).waitFor();
    await page.getByRole('status').getByText('Escape once more within a second stops the agent.').waitFor();
    // A second later the first press is forgotten.
    await page.clock.runFor(1_001);
    await hint(page).waitFor({ state: 'detached' });
    await input(page).press('Escape');
    await hint(page).waitFor();
    expect(await stop(page).count()).toBe(1);
    await page.clock.runFor(900);
    await input(page).press('Escape');
    await page.clock.resume();
    await stop(page).waitFor({ state: 'detached' });
    expect(await hint(page).count()).toBe(0);
    await page.getByText('Half of it').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('closes first what is open: the list of commands, a message in other words, one that waits', async () => {
    const { page, faults } = await openWorking();
    await stopClock(page);
    await input(page).pressSequentially('/');
    await page.getByRole('listbox', { name: 'Commands' }).waitFor();
    await input(page).press('Escape');
    await page.getByRole('listbox', { name: 'Commands' }).waitFor({ state: 'detached' });
    expect(await hint(page).count()).toBe(0);
    await input(page).fill('waits');
    await input(page).press('Enter');
    const edit = page.getByRole('button', { name: 'Edit message 1' });
    // The server takes its own time, and what it tells is read a moment later.
    await expect.poll(() => page.clock.runFor(100).then(() => edit.count())).toBe(1);
    await edit.click();
    await input(page).press('Escape');
    await input(page).press('Escape');
    expect(await hint(page).count()).toBe(0);
    await page.getByLabel('Message 1 in the queue').press('Escape');
    await page.locator('article[data-message="0"]').hover();
    await page.getByRole('button', { name: 'Actions for message 1' }).click();
    await page.clock.runFor(1_000);
    await page.getByRole('menuitem', { name: 'Say it in other words' }).click();
    await page.clock.runFor(1_000);
    await page.getByLabel('The message in other words').waitFor();
    await input(page).press('Escape');
    await input(page).press('Escape');
    expect(await hint(page).count()).toBe(0);
    await page.clock.resume();
    expect(await stop(page).count()).toBe(1);
    expect(faults).toEqual([]);
  });
});
