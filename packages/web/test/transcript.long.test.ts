import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import {
  afterFrames,
  firstSeen,
  focusedId,
  fromBottom,
  fromTop,
  goTo,
  movedPx,
  wasSeen,
} from './page-facts.ts';
import { openPage, openSite } from './open-site.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { seedSession, variedText } from './long-session.ts';
import type { Locator, Page } from 'playwright-core';

const log = (page: Page) => page.getByRole('log');
const message = (page: Page, ordinal: number) => page.locator(`article[data-message="${ordinal}"]`);

async function openSession(page: Page, id: string, place = ''): Promise<void> {
  const at = place === '' ? '' : `/at/${place}`;
  await goTo(page, `#/sessions/${id}${at}`);
}

/** A wheel glides. */
async function settled(box: Locator): Promise<void> {
  let before = -1;
  await expect
    .poll(async () => {
      const [was, now] = [before, await fromTop(box)];
      before = now;
      return now === was;
    })
    .toBe(true);
}

describeInBrowser('a long conversation', () => {
  it('is read upwards, and nothing that comes, above or below, moves what is read', async () => {
    const site = await openSite();
    const { id } = await seedSession(site.url, 700, variedText);
    const { page, faults } = await openPage(site.url);
    let release = (): void => {};
    let asked = 0;
    await page.route(/messages\?.*cursor=/, async (route) => {
      asked += 1;
      await new Promise<void>((go) => (release = go));
      await (asked === 1 ? route.abort() : route.continue());
    });
    await openSession(page, id);
    await message(page, 699).waitFor();
    await expect.poll(() => fromBottom(log(page))).toBe(0);
    await log(page).hover();
    while (asked === 0) await page.mouse.wheel(0, -400);
    release();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => asked).toBe(2);
    const before = await firstSeen(log(page));
    release();
    await page.getByText('Loading older messages').waitFor({ state: 'detached' });
    await afterFrames(page);
    expect(await movedPx(page, before)).toBeLessThanOrEqual(1);
    await createClient({ baseUrl: site.url }).sendMessage({ sessionId: id, content: 'help' });
    await page.getByRole('button', { name: 'New below' }).waitFor();
    expect(await movedPx(page, before)).toBeLessThanOrEqual(1);
    await page.getByRole('button', { name: 'New below' }).click();
    await page.getByText('This is the demo model').waitFor();
    await expect.poll(() => fromBottom(log(page))).toBe(0);
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('is opened at a message, and at another one, and stays there; what is not there costs nothing', async () => {
    const site = await openSite();
    const { id } = await seedSession(site.url, 700, variedText);
    const { page, faults } = await openPage(site.url);
    let pages = 0;
    page.on('request', (request) => (pages += /cursor=/.test(request.url()) ? 1 : 0));
    await openSession(page, id, 'm99999');
    await message(page, 699).waitFor();
    await openSession(page, id, 'm12.0');
    const isMarked = (ordinal: number) =>
      expect
        .poll(async () => {
          const at = message(page, ordinal);
          if ((await at.count()) === 0) return 'away';
          const box = await at.boundingBox();
          const isFocused = (await focusedId(page)) === `m${ordinal}`;
          return isFocused && box !== null && box.y > 60 && box.y < 250 ? 'in sight' : JSON.stringify(box);
        })
        .toBe('in sight');
    await isMarked(12);
    // A page around it, and maybe those at its ends.
    expect(pages).toBeLessThan(4);
    await page.keyboard.press('j');
    expect(await focusedId(page)).toBe('m13');
    await openSession(page, id, 'm400');
    await isMarked(400);
    await openSession(page, id);
    await expect(message(page, 400).isVisible()).resolves.toBe(true);
    expect(faults).toEqual([]);
  });

  it('goes to far places in one step, on from there both ways, and back to the newest', async () => {
    const site = await openSite();
    const { id } = await seedSession(site.url, 1_000, variedText);
    const { page, faults } = await openPage(site.url);
    let pages = 0;
    page.on('request', (request) => (pages += /cursor=/.test(request.url()) ? 1 : 0));
    await openSession(page, id);
    await message(page, 999).waitFor();
    await log(page).focus();
    await page.keyboard.press('Home');
    await message(page, 0).waitFor();
    await expect.poll(() => fromTop(log(page))).toBe(0);
    expect(pages).toBeLessThan(4);
    await createClient({ baseUrl: site.url }).sendMessage({ sessionId: id, content: 'help' });
    await page.getByRole('button', { name: 'New below' }).waitFor();
    await openSession(page, id, 'm500');
    await expect.poll(() => focusedId(page)).toBe('m500');
    pages = 0;
    await log(page).hover();
    while (pages === 0) await page.mouse.wheel(0, 2_000);
    await page.mouse.wheel(0, 4_000);
    await expect.poll(async () => Number((await firstSeen(log(page))).id.slice(1))).toBeGreaterThan(510);
    await settled(log(page));
    await page.keyboard.press('End');
    await page.getByText('This is the demo model').waitFor();
    await expect.poll(() => fromBottom(log(page))).toBe(0);
    expect(faults).toEqual([]);
  });

  it('is followed while an answer grows, until the reader goes up by a hair', async () => {
    const site = await openSite({ wordDelayMs: 4 });
    const { id } = await seedSession(site.url, 30, variedText);
    const { page, faults } = await openPage(site.url);
    await openSession(page, id);
    await message(page, 29).waitFor();
    const client = createClient({ baseUrl: site.url });
    await client.sendMessage({ sessionId: id, content: 'tell me 3000 words' });
    await page.getByText('writing').waitFor();
    expect(await wasSeen(page, 'To the newest')).toBe(false);
    await log(page).hover();
    await page.mouse.wheel(0, -12);
    await expect.poll(() => fromBottom(log(page))).toBeGreaterThan(100);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('writing').waitFor({ state: 'detached' });
    expect(await fromBottom(log(page))).toBeGreaterThan(100);
    await log(page).press('End');
    await expect.poll(() => fromBottom(log(page))).toBe(0);
    await log(page).press('Home');
    await message(page, 0).waitFor();
    await expect.poll(() => fromTop(log(page))).toBe(0);
    await page.getByRole('button', { name: 'To the newest' }).click();
    await expect.poll(() => fromBottom(log(page))).toBe(0);
    await log(page).press('PageUp');
    await expect.poll(() => fromBottom(log(page))).toBeGreaterThan(100);
    await log(page).press('End');
    await expect.poll(() => fromBottom(log(page))).toBe(0);
    expect(faults).toEqual([]);
  });

  it('goes to its end with a message that is sent from far above, and stays where it is with one that has to wait', async () => {
    const site = await openSite({ driver: scriptedModelDriver([{ text: 'Half an answer', hangs: true }]) });
    const { id } = await seedSession(site.url, 300, variedText);
    const { page, faults } = await openPage(site.url);
    await openSession(page, id, 'm3');
    await message(page, 3).waitFor();
    const input = page.getByLabel('Message', { exact: true });
    const say = async (text: string): Promise<void> => {
      // Until the reader does something the place holds the focus, too.
      await input.click();
      await input.fill(text);
      await input.press('Enter');
    };
    await say('to the point');
    await page.getByText('Half an answer').waitFor();
    await expect.poll(() => fromBottom(log(page))).toBe(0);
    await log(page).press('PageUp');
    await expect.poll(() => fromBottom(log(page))).toBeGreaterThan(100);
    await settled(log(page));
    const before = await firstSeen(log(page));
    await say('later');
    await page.getByRole('region', { name: 'Messages that wait' }).getByText('later').waitFor();
    await afterFrames(page);
    expect(await movedPx(page, before)).toBe(0);
    expect(faults).toEqual([]);
  });
});
