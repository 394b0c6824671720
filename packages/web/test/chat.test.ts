import { accessFaults } from './accessible.ts';
import { describe, expect, it } from 'vitest';
import { hasBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';

describe.skipIf(!hasBrowser)('the page', () => {
  it('begins a session, sends a message and shows the answer', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(site.url);
    await page.getByRole('button', { name: 'Begin a session' }).click();
    await page.getByLabel('Message', { exact: true }).fill('help');
    await page.keyboard.press('Enter');
    await page.getByText('This is the demo model').waitFor();
    expect(faults).toEqual([]);
    expect(await accessFaults(page)).toEqual([]);
  });
});
