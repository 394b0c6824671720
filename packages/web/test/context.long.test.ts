import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { afterFrames, fromBottom } from './page-facts.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import type { Client } from '@throughline/client';
import type { Driver } from '@throughline/ports';
import type { Locator, Page } from 'playwright-core';

const smallWindow = { context: { windowTokens: 8_000 } };

/** A session of some long answers. */
async function talked(client: Client, turns = 4): Promise<string> {
  const { sessionId } = await client.sendMessage({ content: 'tell me 900 words' });
  await client.settleRun({ id: sessionId });
  for (let turn = 1; turn < turns; turn += 1) {
    await client.sendMessage({ sessionId, content: 'tell me 900 words' });
    await client.settleRun({ id: sessionId });
  }
  return sessionId;
}

/** Writes a summary when the test says so, and ends when it is cancelled. */
function slowSummariser(): Driver & { readonly asked: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    name: 'slow',
    asked: promise,
    complete: (_, { signal }) =>
      new Promise((done) => {
        resolve();
        signal?.addEventListener('abort', () =>
          done({ type: 'failed', cause: 'cancelled', message: 'cancelled' }),
        );
      }),
  };
}

/** Code that the page asks for is kept back until it is released. */
async function heldCode(page: Page, name: string): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((go) => (release = go));
  await page.route(new RegExp(`/${name}[^/]*\\.js`), async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/**
 * Between the pointer going down and up the conversation goes up by some lines, as it does while an answer is written.
 * What has moved on before the pointer went down was not pressed at all: it is pressed anew.
 */
async function pressedWhileItMoves(page: Page, pressed: Locator): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await pressed.hover();
    await page.mouse.down();
    if (await pressed.evaluate((one: { matches: (selector: string) => boolean }) => one.matches(':active')))
      break;
    await page.mouse.move(0, 0);
    await page.mouse.up();
  }
  await page.evaluate(`${log}.scrollTop -= 120`);
  await afterFrames(page);
  await page.mouse.up();
}

/** What comes while the page moves takes it to the end again; what comes after that is told by the same button. */
async function leaveTheEnd(page: Page): Promise<void> {
  const toNewest = page.getByRole('button', { name: /^(To the newest|New below)$/ });
  const up = async (): Promise<number> => {
    await page.evaluate(`${log}.scrollTop -= 200`);
    await afterFrames(page);
    return await toNewest.count();
  };
  await expect.poll(up).toBe(1);
}

const log = 'document.querySelector("[role=log]")';

/** Out of sight, so that it is no longer drawn, and into sight again. */
async function scrolledAwayAndBack(page: Page, row: Locator): Promise<void> {
  await page.evaluate(`${log}.scrollTop = 0`);
  await page.locator('article').first().focus();
  await row.waitFor({ state: 'detached' });
  await page.evaluate(`${log}.scrollTop = ${log}.scrollHeight`);
}

describeInBrowser('the context of a session', () => {
  it('is shown in the header, previewed, compacted, taken back and put in force again, also after a reload', async () => {
    const site = await openSite({ agent: smallWindow });
    const client = createClient({ baseUrl: site.url });
    const id = await talked(client);
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
    const meter = page.getByRole('button', { name: /Show what fills it/ });
    expect(await meter.textContent()).toMatch(/≈ \d+ %/);
    const release = await heldCode(page, 'context-panel');
    await meter.click();
    const panel = page.getByRole('dialog', { name: 'What fills the context' });
    await panel.getByText('Loading the breakdown').waitFor();
    await page.keyboard.press('Tab');
    release();
    await panel.getByRole('rowheader', { name: 'What the model said' }).waitFor();
    expect(await page.evaluate('document.activeElement.closest("[role=dialog]") !== null')).toBe(true);
    await panel.getByRole('button', { name: 'Pin Model · m1', exact: true }).click();
    await panel.getByText('Pinned:').waitFor();
    expect(await client.listPins({ id })).toEqual({ pins: [1] });
    await panel.getByRole('button', { name: 'Unpin Model · m1', exact: true }).click();
    await panel.getByText('Nothing is pinned').waitFor();
    await panel.getByText('Focus and strategy').click();
    await panel.getByLabel('Strategy', { exact: true }).selectOption('digest');
    await panel.getByRole('button', { name: 'Preview' }).click();
    await panel.getByText(/nothing is stored/).waitFor();
    expect((await client.listCompactions({ id })).items).toEqual([]);
    expect(await accessFaults(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Compact now' }).click();
    await page.getByText(/Context compacted: \d+ % saved/).waitFor();
    expect((await client.listCompactions({ id })).items).toMatchObject([{ strategy: 'digest' }]);

    await page.keyboard.press('Escape');
    await page.reload();
    const card = page.getByRole('region', { name: /^Context compacted/ });
    // What moves before the press is seen, and no press is wasted on it.
    await card.waitFor();
    await expect.poll(() => fromBottom(page.getByRole('log'))).toBe(0);
    await pressedWhileItMoves(page, card.getByText('Details'));
    await card.getByText('Took').waitFor();
    await scrolledAwayAndBack(page, card);
    await card.getByText('Took').waitFor();
    expect(await card.textContent()).toMatch(/Took\d.*s/);
    await card.getByRole('button', { name: 'Show what was replaced' }).click();
    const replaced = page.getByRole('dialog', { name: 'What was replaced' });
    await replaced.getByText('tell me 900 words').first().waitFor();
    await replaced.getByRole('tab', { name: 'What the model sees' }).click();
    await replaced.getByText(/^After: \d+ messages/).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await card.getByRole('button', { name: 'Undo' }).click();
    const undone = page.getByRole('region', { name: /^Compaction taken back/ });
    await undone.getByRole('button', { name: 'Redo' }).click();
    await card.getByRole('button', { name: 'Undo' }).waitFor();
    expect((await client.listCompactions({ id })).items).toMatchObject([{ isInForce: true }]);
    expect(faults).toEqual([]);
  });

  it('shows the summary of a compaction as the model reads it, whatever it quotes', async () => {
    const site = await openSite({ agent: smallWindow });
    const client = createClient({ baseUrl: site.url });
    const { sessionId: id } = await client.wait({ content: 'tell me 900 words' });
    await client.wait({ sessionId: id, content: '[1]: words\n[2]: __init__ is *ours*\n\n```\nnever closed' });
    for (let turn = 0; turn < 3; turn += 1)
      await client.wait({ sessionId: id, content: 'tell me 900 words' });
    await client.compact({ id });
    const [{ summary } = { summary: null }] = (await client.listCompactions({ id })).items;
    expect(summary).toContain('[2]: __init__ is *ours*');
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
    await page
      .getByRole('region', { name: /^Context compacted/ })
      .getByText('Details')
      .click();
    const lines = page.getByRole('region', { name: 'The summary' }).locator('p');
    await lines.first().waitFor();
    expect((await lines.allTextContents()).join('\n')).toBe(summary);
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('is taken back with a tap on a phone, before and after later work', async () => {
    const site = await openSite({ agent: smallWindow });
    const client = createClient({ baseUrl: site.url });
    const id = await talked(client);
    expect((await client.compact({ id })).type).toBe('compacted');
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const card = page.getByRole('region', { name: /^Context compacted/ });
    const undone = page.getByRole('region', { name: /^Compaction taken back/ });
    const inForce = async (): Promise<boolean | undefined> =>
      (await client.listCompactions({ id })).items[0]?.isInForce;
    await card.getByRole('button', { name: 'Undo' }).tap();
    await undone.getByRole('button', { name: 'Redo' }).waitFor();
    expect(await inForce()).toBe(false);
    await undone.getByRole('button', { name: 'Redo' }).tap();
    await card.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await inForce()).toBe(true);
    await page.getByRole('textbox', { name: 'Message' }).fill('tell me 20 words');
    await page.getByRole('button', { name: 'Send', exact: true }).tap();
    await page.getByText('tell me 20 words').waitFor();
    await client.settleRun({ id });
    await leaveTheEnd(page);
    await card.getByRole('button', { name: 'Undo' }).tap();
    await undone.waitFor();
    expect(await inForce()).toBe(false);
    await page.getByText('tell me 20 words').waitFor();
    expect(faults).toEqual([]);
  });

  it('is compacted over and over, told in one place, and nothing covers what stops it', async () => {
    const site = await openSite({ agent: smallWindow });
    const client = createClient({ baseUrl: site.url });
    const id = await talked(client);
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
    await page.getByText('word').first().waitFor();
    const told = page.locator('[data-toast]');
    for (let turn = 0; turn < 3; turn += 1) {
      await client.sendMessage({ sessionId: id, content: 'tell me 900 words' });
      await client.settleRun({ id });
      expect((await client.compact({ id })).type).toBe('compacted');
      await told.filter({ hasText: 'Context compacted' }).first().waitFor();
    }
    expect(await told.count()).toBe(1);
    const [toast, input] = await Promise.all([
      told.boundingBox(),
      page.getByRole('region', { name: 'Your side' }).boundingBox(),
    ]);
    expect((toast?.y ?? Infinity) + (toast?.height ?? 0)).toBeLessThan(input?.y ?? 0);
    expect(faults).toEqual([]);
  });

  it('says while it is compacted what is done, and stops on request', async () => {
    const driver = slowSummariser();
    const summariser = { type: 'model', driver, windowTokens: 100_000 } as const;
    const site = await openSite({ agent: { ...smallWindow, summariser } });
    const client = createClient({ baseUrl: site.url });
    const id = await talked(client);
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    await page.getByRole('button', { name: /Show what fills it/ }).click();
    await page.getByRole('button', { name: 'Compact now' }).click();
    await driver.asked;
    await page.getByText('Summarising the context').waitFor();
    await page.getByRole('button', { name: 'Cancel the compaction' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByPlaceholder('Message will be queued…').fill('and then?');
    await page.getByRole('button', { name: 'Queue' }).click();
    await page.getByRole('heading', { name: 'message waits' }).waitFor();
    expect(await page.getByRole('button', { name: 'Go on' }).count()).toBe(0);
    expect(await page.getByRole('progressbar', { name: 'Compaction' }).getAttribute('aria-valuenow')).toBe(
      '50',
    );
    expect(await accessFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The compaction was cancelled').waitFor();
    await page.getByText('Summarising the context').waitFor({ state: 'detached' });
    expect((await client.listCompactions({ id })).items).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('has a banner for what went wrong, which tries again, and can be dismissed', async () => {
    const failure = { kind: 'provider', message: 'The server <b>burns</b>.', recoverable: true } as const;
    const driver = scriptedModelDriver([{ failure }, { text: 'Better now.' }, { failure }]);
    const site = await openSite({ driver });
    const client = createClient({ baseUrl: site.url });
    const { id } = await client.createSession({});
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
    await page.getByLabel('Message', { exact: true }).waitFor();
    await client.sendMessage({ sessionId: id, content: 'hello' });
    const banner = page.getByRole('alert').filter({ hasText: 'The server <b>burns</b>.' });
    await banner.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Better now.').waitFor();
    expect(await banner.count()).toBe(0);
    await client.sendMessage({ sessionId: id, content: 'again' });
    await banner.getByRole('button', { name: 'Dismiss' }).click();
    await banner.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});

describeInBrowser('the trace of a session', () => {
  it('tells runs, steps, what was done to the context, a chart with its table, and the exact request', async () => {
    const site = await openSite({ agent: smallWindow });
    const client = createClient({ baseUrl: site.url });
    const id = await talked(client);
    await client.compact({ id });
    await client.sendMessage({ sessionId: id, content: 'explore' });
    await client.settleRun({ id });
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}/trace`);
    const chart = page.getByRole('img', { name: /^Chart of \d+ steps/ });
    await chart.waitFor();
    expect(await chart.getAttribute('aria-label')).toContain('1 compactions');
    await page.getByText('As a table').click();
    expect(
      await page.getByRole('region', { name: 'Figures of the chart' }).getByRole('row').count(),
    ).toBeGreaterThan(5);
    const management = page.getByRole('region', { name: 'Context management' });
    await management.getByText('Compacted 1').click();
    await management.getByText(/% saved/).waitFor();
    const run = page.getByRole('region', { name: 'Runs' });
    await run.getByText('Outside of runs').waitFor();
    await run.getByText('Run 5', { exact: true }).waitFor();
    expect(await run.getByText(/^Run \d+$/).count()).toBe(5);
    await run
      .getByText(/\d read · .*\d written/)
      .first()
      .waitFor();
    await run
      .getByRole('button', { name: /^Request of step/ })
      .first()
      .click();
    const request = page.getByRole('dialog', { name: 'The request of this step' });
    await request.getByText('Exactly what was sent', { exact: true }).waitFor();
    expect(await request.getByLabel('Request as JSON').textContent()).toContain('"messages"');
    expect(await accessFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.getByLabel('Message', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Trace' }).click();
    await page.setViewportSize({ width: 390, height: 844 });
    await chart.waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(faults).toEqual([]);
  });
});
