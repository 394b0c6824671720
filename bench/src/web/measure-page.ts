import { chromium } from 'playwright-core';
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { pageFolder } from './open-bench-site.ts';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { BenchSite } from './open-bench-site.ts';

// As the tests of the page choose it, which the bench may not reach into.
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const { THROUGHLINE_CHROMIUM: executablePath = installed.find((path) => existsSync(path)) } = process.env;

export function openBrowser(): Promise<Browser> {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-dev-shm-usage',
  ];
  return chromium.launch({ args, ...(executablePath !== undefined && { executablePath }) });
}

const input = (page: Page) => page.getByLabel('Message', { exact: true });

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Gzipped bytes of the scripts that a page loads before anybody does anything, and until one can type: the best of some rounds. */
export async function measureLoad(
  browser: Browser,
  { url }: BenchSite,
  sessionId: string,
  rounds: number,
): Promise<{ readonly scriptKilobytes: number; readonly interactiveMs: number }> {
  const times: number[] = [];
  let scriptBytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const scripts = new Set<string>();
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.endsWith('.js')) scripts.add(pathname);
    });
    const startMs = performance.now();
    await page.goto(`${url}/#/sessions/${sessionId}`, { waitUntil: 'commit' });
    await input(page).waitFor();
    times.push(performance.now() - startMs);
    const before = [...scripts];
    scriptBytes = before.reduce(
      (sum, path) => sum + gzipSync(readFileSync(join(pageFolder, path))).length,
      0,
    );
    await context.close();
  }
  return { scriptKilobytes: scriptBytes / 1_000, interactiveMs: Math.min(...times) };
}

interface BusyFigures {
  readonly keyP50Ms: number;
  readonly keyP95Ms: number;
  readonly worstFrameMs: number;
  readonly heapMegabytes: number;
}

/** Typing and scrolling while an answer streams, in a session whose messages were all scrolled through. */
export async function measureBusy(
  browser: Browser,
  { url }: BenchSite,
  sessionId: string,
): Promise<BusyFigures> {
  const page = await browser.newPage();
  await page.goto(`${url}/#/sessions/${sessionId}`);
  await input(page).waitFor();
  await scrollToTop(page);
  await page.getByRole('button', { name: /newest|New below/ }).click();
  await input(page).fill('tell me 20000 words');
  await page.keyboard.press('Enter');
  // What does not fit the window is compacted first.
  await page.getByText('writing').waitFor({ timeout: 120_000 });
  const keys = await measureKeys(page);
  const worstFrameMs = await measureFrames(page);
  const session = await page.context().newCDPSession(page);
  const heapMegabytes = await heapOf(session);
  await page
    .getByRole('button', { name: 'Stop' })
    .click()
    .catch(() => undefined);
  await page.close();
  return { ...keys, worstFrameMs, heapMegabytes };
}

/** Loads every page of the history. */
async function scrollToTop(page: Page): Promise<void> {
  const log = page.getByRole('log');
  for (let still = 0; still < 10;) {
    const isThere = await log.evaluate((element) => {
      const box = element as unknown as { scrollTop: number; textContent: string };
      box.scrollTop = 0;
      return box.textContent.includes('Question 0:');
    });
    still = isThere ? still + 1 : 0;
    await page.waitForTimeout(30);
  }
}

async function measureKeys(page: Page): Promise<{ readonly keyP50Ms: number; readonly keyP95Ms: number }> {
  await page.evaluate(`
    window.keyTimes = [];
    addEventListener('keydown', (event) => {
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => window.keyTimes.push(performance.now() - event.timeStamp);
        channel.port2.postMessage(0);
      });
    }, true);
  `);
  await input(page).focus();
  for (let key = 0; key < 150; key += 1) {
    await page.keyboard.press('abcdefghij'.charAt(key % 10));
    await page.waitForTimeout(20);
  }
  const times = (await page.evaluate('window.keyTimes')) as number[];
  return { keyP50Ms: percentile(times, 0.5), keyP95Ms: percentile(times, 0.95) };
}

const scrollMs = 6_000;

async function measureFrames(page: Page): Promise<number> {
  await page.evaluate(`
    window.frames_ = [];
    let last = performance.now();
    const frame = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  `);
  const box = await page.getByRole('log').boundingBox();
  if (box) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (const endMs = performance.now() + scrollMs; performance.now() < endMs;) {
    await page.mouse.wheel(0, -400);
    await page.waitForTimeout(16);
  }
  const frames = (await page.evaluate('window.frames_')) as number[];
  return Math.max(...frames.slice(2));
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1_000_000;
}

/** Until the newest message of a session is seen, from a page that is open: the best of some rounds. */
export async function measureOpen(
  browser: Browser,
  { url }: BenchSite,
  sessionId: string,
  newest: string,
  rounds: number,
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByRole('button', { name: 'New session' }).waitFor();
    const startMs = performance.now();
    await page.evaluate(`location.hash = '/sessions/${sessionId}'`);
    await page.getByText(newest).first().waitFor();
    times.push(performance.now() - startMs);
    await page.close();
  }
  return Math.min(...times);
}

const openedMs = 5_000;

/** From the newest message of a session to one far from it: until that is in sight, and how many pages were asked for. */
export async function measureFar(
  browser: Browser,
  { url }: BenchSite,
  sessionId: string,
  place: number,
  rounds: number,
): Promise<{ readonly farMs: number; readonly pages: number }> {
  const times: number[] = [];
  let pages = 0;
  for (let round = 0; round < rounds; round += 1) {
    const page = await browser.newPage();
    await page.goto(`${url}#/sessions/${sessionId}`);
    await page.locator('article[data-message]').last().waitFor();
    // What a page fetches when it opens a session keeps the server busy for a while.
    await page.waitForTimeout(openedMs);
    pages = 0;
    page.on('request', (request) => (pages += /messages\?.*cursor=/.test(request.url()) ? 1 : 0));
    const startMs = performance.now();
    await page.evaluate(`location.hash = '/sessions/${sessionId}/at/m${place}'`);
    await page.locator(`article[data-message="${place}"]:focus`).waitFor({ timeout: 300_000 });
    times.push(performance.now() - startMs);
    await page.close();
  }
  return { farMs: Math.min(...times), pages };
}

/** A recorded file until it is seen, and each step of the slider until the facts of its request are: the best of some rounds. */
export async function measureInspector(
  browser: Browser,
  { url }: BenchSite,
  file: string,
  rounds: number,
): Promise<{ readonly openMs: number; readonly stepP95Ms: number }> {
  const all: { readonly openMs: number; readonly stepP95Ms: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const page = await browser.newPage();
    await page.goto(`${url}/#/inspector`);
    await page.getByText('Drop a recorded session').waitFor();
    // From when the browser has handed the file to the page.
    await page.evaluate("addEventListener('change', () => { window.chosenAt = performance.now(); }, true)");
    await page.getByLabel('Recorded session', { exact: true }).setInputFiles(file);
    await page.getByText('The next request').first().waitFor();
    const openMs = (await page.evaluate('performance.now() - window.chosenAt')) as number;
    all.push({ openMs, stepP95Ms: await measureSteps(page) });
    await page.close();
  }
  return {
    openMs: Math.min(...all.map((one) => one.openMs)),
    stepP95Ms: Math.min(...all.map((one) => one.stepP95Ms)),
  };
}

async function measureSteps(page: Page): Promise<number> {
  await page.evaluate(`
    window.stepTimes = [];
    const facts = () => document.querySelector('section[aria-label=Time] p').textContent.replace(/^.*?: /, '');
    addEventListener('input', () => {
      const from = performance.now();
      const before = facts();
      const look = () =>
        facts() === before
          ? requestAnimationFrame(look)
          : setTimeout(() => window.stepTimes.push(performance.now() - from));
      requestAnimationFrame(look);
    }, true);
  `);
  await page.getByRole('slider').focus();
  for (let step = 1; step <= 40; step += 1) {
    await page.keyboard.press('ArrowLeft');
    while (((await page.evaluate('window.stepTimes.length')) as number) < step) await page.waitForTimeout(10);
  }
  return percentile((await page.evaluate('window.stepTimes')) as number[], 0.95);
}
