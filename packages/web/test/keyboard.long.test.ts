import { createClient } from '@throughline/client';
import { createDemoDriver } from '@throughline/drivers';
import { defineTool } from '@throughline/agent';
import { expect, it } from 'vitest';
import { focusedId, goTo } from './page-facts.ts';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { systemTimer } from '@throughline/ports';
import { z } from 'zod';
import type { Page } from 'playwright-core';
import type { Site } from './open-site.ts';

/** A busy machine takes its time. */

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
  const met: string[] = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press(key);
    const name = await focused(page);
    if (name.includes(words)) return;
    met.push(name);
  }
  throw new Error(`${key} does not lead to ${words}, but to ${[...new Set(met)].join(', ')}`);
}

/** Messages of the one session, once nothing is busy. */
async function answered({ services: { agent } }: Site): Promise<number> {
  const [session] = (await agent.store.sessions.list()).items;
  return agent.busyCount === 0 ? (session?.messageCount ?? 0) : -1;
}

/**
 * What Tab comes to in a view, of which nobody sees that it has the focus: neither it nor what it stands in looks other
 * than before.
 */
async function unseenFocus(page: Page): Promise<readonly string[]> {
  const look = `(() => {
    const looks = (at) => {
      const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, opacity } = getComputedStyle(at);
      return [outlineStyle === 'none' ? '' : outlineWidth + outlineColor, boxShadow, borderColor, backgroundColor, opacity].join();
    };
    // With reduced motion each change takes 0.01 ms, which is not over before the next frame.
    const settle = () => {
      document.body.getBoundingClientRect();
      for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
    };
    const lookOf = (at) => (settle(), [at, at.parentElement, at.parentElement?.parentElement].filter(Boolean).map(looks).join('|'));
    const { activeElement: at } = document;
    if (!at || at === document.body) return null;
    const seen = (window.seenByTab ??= new Set());
    if (seen.has(at)) return 'again';
    seen.add(at);
    const focused = lookOf(at);
    at.blur();
    const plain = lookOf(at);
    at.focus({ focusVisible: true, preventScroll: true });
    return focused === plain ? at.outerHTML.slice(0, 160) : '';
  })()`;
  const unseen: string[] = [];
  await page.evaluate('window.seenByTab = undefined');
  for (let presses = 0, again = 0; presses < 120 && again < 3; presses += 1) {
    await page.keyboard.press('Tab');
    const said = await page.evaluate<string | null>(look);
    again = said === 'again' ? again + 1 : 0;
    if (said !== null && said !== 'again' && said !== '') unseen.push(said);
  }
  return unseen;
}

describeInBrowser('with the keyboard alone', () => {
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
    expect(await summary.locator('p').count()).toBeGreaterThan(3);
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
    const dialog = page.getByRole('dialog', { name: 'What fills the context' });
    // Eighty presses are over before the breakdown is there.
    await dialog.getByRole('button', { name: 'Compact now' }).waitFor();
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

  it('one sees what has the focus, in each view, light and dark', async () => {
    const site = await openSite({ agent: { context: { windowTokens: 8_000 } } });
    const client = createClient({ baseUrl: site.url });
    const { id } = await client.createSession({ title: 'Seen' });
    for (let turn = 0; turn < 4; turn += 1)
      await client.wait({ sessionId: id, content: 'tell me 300 words' });
    await client.compact({ id });
    const { page, faults } = await openPage(site.url, { reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'New session' }).waitFor();
    const unseen: Record<string, readonly string[]> = {};
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const [view, shown] of Object.entries({
        '': 'New session',
        [`sessions/${id}`]: 'Context compacted',
        [`sessions/${id}/inspector`]: 'The next request',
        [`sessions/${id}/trace`]: 'The context over time',
        settings: 'Model',
      })) {
        await goTo(page, `/${view}`);
        await page.getByText(shown).first().waitFor();
        const found = await unseenFocus(page);
        if (found.length > 0) unseen[`${colorScheme} /${view}`] = found;
      }
    }
    expect(unseen).toEqual({});
    expect(faults).toEqual([]);
  });

  it('a button that goes once it is pressed leaves the focus where one goes on', async () => {
    const command = defineTool({
      name: 'bash',
      description: 'Runs a command.',
      input: z.object({ command: z.string() }),
      execute: ({ command: said }) => Promise.resolve(`ran ${said}`),
    });
    const site = await openSite({
      driver: createDemoDriver({ timer: systemTimer, wordDelayMs: 20 }),
      agent: { tools: [command], approvals: { rules: { bash: 'ask' }, isAttended: () => true } },
    });
    const { page, faults } = await openPage(site.url);
    const holds = async (words: string): Promise<void> => {
      await expect.poll(() => focused(page)).toContain(words);
    };
    const isHeldBy = async (id: string): Promise<void> => {
      await expect.poll(() => focusedId(page)).toBe(id);
    };
    await page.getByRole('button', { name: 'New session' }).waitFor();
    await page.keyboard.press('Control+Shift+O');
    await isHeldBy('message');
    await page.keyboard.type('run `ls`');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'bash asks' }).waitFor();
    await keyTo(page, 'Allow once', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'bash asks' }).waitFor({ state: 'detached' });
    await isHeldBy('message');
    await expect.poll(() => answered(site)).toBeGreaterThan(0);
    await page.keyboard.type('tell me 5000 words');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.keyboard.type('later');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Messages that wait' }).waitFor();
    await keyTo(page, 'Edit message 1', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await holds('Message 1 in the queue');
    await page.keyboard.press('Escape');
    await isHeldBy('message');
    await keyTo(page, 'Remove message 1', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Messages that wait' }).waitFor({ state: 'detached' });
    await isHeldBy('message');
    await keyTo(page, 'Stop');
    await page.keyboard.press('Enter');
    await expect.poll(() => answered(site)).toBeGreaterThan(0);
    await isHeldBy('message');
    await keyTo(page, 'Rename the session', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await holds('Title of the session');
    await page.keyboard.type('The first');
    await page.keyboard.press('Enter');
    await holds('Rename the session');
    await keyTo(page, 'Search in all sessions', 'Shift+Tab');
    await page.keyboard.type('words');
    await keyTo(page, 'Clear the search');
    await page.keyboard.press('Enter');
    await holds('Search in all sessions');
    expect(await page.getByLabel('Search in all sessions').inputValue()).toBe('');
    await page.setViewportSize({ width: 390, height: 844 });
    await keyTo(page, 'Sessions');
    await page.keyboard.press('Enter');
    await holds('Sessions and areas');
    await keyTo(page, 'Settings');
    await page.keyboard.press('Enter');
    await page.getByLabel('Strategy', { exact: true }).waitFor();
    await isHeldBy('main');
    expect(faults).toEqual([]);
  });

  it('the view that takes the place of another has the focus that went with it', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(site.url);
    await page.getByRole('button', { name: 'New session' }).waitFor();
    await keyTo(page, 'example in the inspector');
    await page.keyboard.press('Enter');
    await page.getByLabel('Which request').waitFor();
    expect(await focusedId(page)).toBe('main');
    await keyTo(page, 'Open a file');
    await page.goBack();
    await page.getByText('Try it now').waitFor();
    await expect.poll(() => focusedId(page)).toBe('main');
    expect(faults).toEqual([]);
  });
});
