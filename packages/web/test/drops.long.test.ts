import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import type { Page } from 'playwright-core';

/** Drops a recorded session as another program does; whether the page took care of it, or left it to the browser. */
async function drop(page: Page, place: string, name: string): Promise<boolean> {
  const content = JSON.stringify({ messages: [{ role: 'user', content: `What is in ${name}?` }] });
  return await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}, { type: 'application/json' }));
    const told = { dataTransfer: data, bubbles: true, cancelable: true };
    const place = document.querySelector(${JSON.stringify(place)});
    return ['dragover', 'drop'].map((type) => place.dispatchEvent(new DragEvent(type, told))).every((went) => !went);
  })()`);
}

const heading = (page: Page, name: RegExp) => page.getByRole('heading', { level: 1, name });

describeInBrowser('a file that is dropped on the page', () => {
  it('is opened in the inspector from wherever it falls, and is still there after going elsewhere and back', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(site.url);
    await page.getByRole('heading', { name: 'Look into a recorded session' }).waitFor();
    expect(await drop(page, 'main', 'first.json')).toBe(true);
    await heading(page, /first\.json/).waitFor();
    expect(await drop(page, 'aside', 'second.json')).toBe(true);
    await heading(page, /second\.json/).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await heading(page, /Settings/).waitFor();
    await page.goBack();
    await heading(page, /second\.json/).waitFor();
    expect(faults).toEqual([]);
  });

  it('is never opened by the browser in place of the page, where no view takes files', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(`${site.url}/#/settings`);
    await heading(page, /Settings/).waitFor();
    for (const place of ['main', 'aside']) expect(await drop(page, place, 'stray.json')).toBe(true);
    await page.getByRole('link', { name: 'Proxy' }).click();
    await heading(page, /Prox/).waitFor();
    expect(await drop(page, 'body', 'stray.json')).toBe(true);
    expect(faults).toEqual([]);
  });
});
