import { describe, expect, it } from 'vitest';
import { hasBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import type { Page } from 'playwright-core';
import type { Site } from './open-site.ts';

/** What has the focus: its name, and whether anybody can see that it has. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate<string>(`(() => {
    const { activeElement: at } = document;
    if (!at || at === document.body) return 'nothing';
    return (at.getAttribute('aria-label') || at.textContent || at.id || '').trim().slice(0, 80);
  })()`);
}

/** Presses a key until something with these words has the focus. */
async function keyTo(page: Page, words: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press(key);
    if ((await focused(page)).includes(words)) return;
  }
  throw new Error(`${key} does not lead to ${words}`);
}

/** Messages of the one session, once nothing is busy. */
async function answered({ services: { agent } }: Site): Promise<number> {
  const [session] = (await agent.store.sessions.list()).items;
  return agent.busyCount === 0 ? (session?.messageCount ?? 0) : -1;
}

describe.skipIf(!hasBrowser)('with the keyboard alone', () => {
  it('one begins, writes, compacts, takes it back and again, looks into the inspector, and comes back, and is never lost', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(site.url);
    const holds = async (words: string): Promise<void> => {
      await expect.poll(() => focused(page)).toContain(words);
    };
    await page.getByRole('button', { name: 'New session' }).waitFor();
    await page.keyboard.press('Control+Shift+O');
    await holds('Message');
    for (let turn = 0; turn < 5; turn += 1) {
      await page.keyboard.type('tell me 300 words');
      await page.keyboard.press('Enter');
      await expect.poll(() => answered(site)).toBe(2 * turn + 2);
      await holds('Message');
    }
    // What is typed at once goes into the window that opens, also while its code is on its way.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('compact the');
    await page.getByRole('option', { name: 'Compact the context' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Context compacted:').first().waitFor();
    expect(await page.inputValue('#message')).toBe('');
    await holds('Message');
    await page.locator('[data-compaction]').waitFor();
    await keyTo(page, 'Details', 'Shift+Tab');
    await page.keyboard.press('Enter');
    const summary = page.getByRole('region', { name: 'The summary' });
    await summary.waitFor();
    // Entries have a line each.
    await expect.poll(() => summary.locator('br').count()).toBeGreaterThan(3);
    await keyTo(page, 'Undo');
    await page.keyboard.press('Enter');
    await page.getByText('The compaction was taken back').first().waitFor();
    await holds('Redo');
    await page.keyboard.press('Enter');
    await page.getByText('The compaction is in force again').first().waitFor();
    await holds('Undo');
    // What is said at the edge of the page is no window: keys go on working.
    await page.keyboard.press('Shift+Escape');
    await holds('Message');
    await keyTo(page, 'Show what fills it', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'What fills the context' }).waitFor();
    await keyTo(page, 'Compact now');
    await page.keyboard.press('Escape');
    await holds('Show what fills it');
    await keyTo(page, 'Context inspector', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await keyTo(page, 'Which request');
    const before = await page.getByLabel('Which request').inputValue();
    await page.keyboard.press('ArrowLeft');
    expect(await page.getByLabel('Which request').inputValue()).not.toBe(before);
    await keyTo(page, 'm0');
    await page.keyboard.press('Enter');
    await page.goBack();
    await page.locator('#message').waitFor();
    await expect.poll(() => focused(page)).not.toBe('nothing');
    await page.keyboard.press('Shift+Escape');
    await holds('Message');
    expect(faults).toEqual([]);
  });

  it('the view that takes the place of another has the focus that went with it', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(site.url);
    await page.getByRole('button', { name: 'New session' }).waitFor();
    await keyTo(page, 'example in the inspector');
    await page.keyboard.press('Enter');
    await page.getByLabel('Which request').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await keyTo(page, 'Open a file');
    await page.goBack();
    await page.getByText('Try it now').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    expect(faults).toEqual([]);
  });
});
