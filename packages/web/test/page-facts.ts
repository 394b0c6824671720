import type { Locator, Page } from 'playwright-core';

// What only the browser knows. Tests are checked without the types of a browser: what is needed of them stands here.

interface Place {
  readonly top: number;
}

interface Box {
  readonly id: string;
  readonly scrollTop: number;
  readonly scrollHeight: number;
  readonly scrollWidth: number;
  readonly clientHeight: number;
  readonly clientWidth: number;
  readonly getBoundingClientRect: () => Place;
  readonly querySelectorAll: (selector: string) => Iterable<Box>;
}

/** Goes to a place of the page that is open, as a link in it does. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** How far what is seen is from the end of what can be scrolled, in pixels. */
export async function fromBottom(box: Locator): Promise<number> {
  return await box.evaluate((one: Box) => Math.round(one.scrollHeight - one.scrollTop - one.clientHeight));
}

/** How much of it is above what is in sight. */
export async function fromTop(box: Locator): Promise<number> {
  return await box.evaluate((one: Box) => Math.round(one.scrollTop));
}

/** The first message that is seen from its beginning, and where. */
export async function firstSeen(box: Locator): Promise<{ readonly id: string; readonly top: number }> {
  return await box.evaluate((one: Box) => {
    const { top } = one.getBoundingClientRect();
    return [...one.querySelectorAll('article')]
      .map((article) => ({ id: article.id, top: article.getBoundingClientRect().top }))
      .filter((article) => article.top >= top)
      .toSorted((a, b) => a.top - b.top)[0]!;
  });
}

/** By how many pixels a message is further up or down than it was. */
export async function movedPx(
  page: Page,
  { id, top }: { readonly id: string; readonly top: number },
): Promise<number> {
  const now = await page.locator(`[id="${id}"]`).evaluate((one: Box) => one.getBoundingClientRect().top);
  return Math.abs(now - top);
}

/** The id of what has the focus. */
export async function focusedId(page: Page): Promise<string> {
  return await page.evaluate('document.activeElement.id');
}

/** By how much more there is to the side than is seen; 0 where nothing has to be moved sideways. */
export async function overWidth(element: Locator): Promise<number> {
  return await element.evaluate((one: Box) => one.scrollWidth - one.clientWidth);
}

/** Whether this text was seen in the page within a second. */
export async function wasSeen(page: Page, text: string): Promise<boolean> {
  return await page.evaluate(`new Promise((tell) => {
    const end = (was) => {
      watch.disconnect();
      tell(was);
    };
    const watch = new MutationObserver(() => {
      if (document.body.innerText.includes(${JSON.stringify(text)})) end(true);
    });
    watch.observe(document.body, { childList: true, subtree: true });
    setTimeout(end, 1000, false);
  })`);
}

/** Two frames later, when what was measured has its place. */
export async function afterFrames(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** From now on the page tells of what type the bytes are that it makes addresses for. */
export async function watchAddresses(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`{
    const make = URL.createObjectURL;
    window.addressTypes = [];
    URL.createObjectURL = (bytes) => {
      window.addressTypes.push(bytes.type);
      return make.call(URL, bytes);
    };
  }`);
  return () => page.evaluate('window.addressTypes');
}
