import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { defineTool } from '@throughline/agent';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { z } from 'zod';
import type { Page } from 'playwright-core';

const input = (page: Page) => page.getByLabel('Message', { exact: true });
const attached = (page: Page) => page.getByRole('list', { name: 'Attachments' });
const send = '**/api/message';

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Files as they come from another program: dropped on the page, or pasted into the field. */
async function giveFiles(page: Page, how: 'drop' | 'paste', names: readonly string[]): Promise<void> {
  await page.evaluate(`
    const bytes = Uint8Array.from(atob(${JSON.stringify(pixel)}), (one) => one.codePointAt(0));
    const data = new DataTransfer();
    for (const name of ${JSON.stringify(names)}) data.items.add(new File([bytes], name, { type: 'image/png' }));
    const told = { bubbles: true, cancelable: true };
    if (${JSON.stringify(how)} === 'paste')
      document.querySelector('textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, ...told }));
    else
      for (const name of ['dragover', 'drop'])
        document.querySelector('main').dispatchEvent(new DragEvent(name, { dataTransfer: data, ...told }));
  `);
}

describeInBrowser('the input', () => {
  it('shows a message that did not reach the server, over a reload too, sends it once or gives it back', async () => {
    const driver = scriptedModelDriver([{ text: 'One answer' }]);
    const site = await openSite({ driver });
    const client = createClient({ baseUrl: site.url });
    const { id } = await client.createSession({ title: 'Offline' });
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
    await page.route(send, (route) => route.abort());
    for (const text of ['keep me', 'second thought']) {
      await input(page).fill(text);
      await page.keyboard.press('Enter');
      await page.getByText(text).waitFor();
    }
    await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(2);
    await page.reload();
    const failed = page.locator('article', { hasText: 'second thought' });
    await failed.getByText('It was not sent').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await failed.getByRole('button', { name: 'Back into the input' }).click();
    expect(await input(page).inputValue()).toBe('second thought');
    await page.locator('textarea:focus').waitFor();
    await failed.waitFor({ state: 'detached' });
    await page.unroute(send);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('One answer').waitFor();
    await page.reload();
    await page.getByText('One answer').waitFor();
    expect(await page.getByText('It was not sent').count()).toBe(0);
    expect(await input(page).inputValue()).toBe('second thought');
    const { items } = await client.listMessages({ id });
    expect(items.filter(({ role }) => role === 'user')).toHaveLength(1);
    expect(faults).toEqual([]);
  });

  it('gives back what the server refuses, attachments included, and says why', async () => {
    const site = await openSite({ driver: scriptedModelDriver([{ text: 'Seen' }]) });
    const { page, faults } = await openPage(site.url);
    await page.getByRole('button', { name: 'New session' }).click();
    await page.locator('textarea:focus').waitFor();
    await giveFiles(page, 'drop', ['a.png']);
    await attached(page).getByText('a.png').waitFor();
    await giveFiles(page, 'paste', ['b.png']);
    await attached(page).getByText('b.png').waitFor();
    await page.getByText('A reload keeps what you write').waitFor();
    const problem = {
      type: 'x',
      title: 'Too large',
      status: 413,
      detail: 'A body may have 10 bytes.',
      code: 'payload-too-large',
    };
    await page.route(send, (route) =>
      route.fulfill({ status: 413, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await input(page).fill('look');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('A body may have 10 bytes.').waitFor();
    expect(await input(page).inputValue()).toBe('look');
    expect(await attached(page).getByRole('listitem').count()).toBe(2);
    expect(await accessFaults(page)).toEqual([]);
    await page.unroute(send);
    await page.keyboard.press('Enter');
    await page.getByText('Seen').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await expect.poll(() => page.locator('article[data-message="0"] img').count()).toBe(2);
    await input(page).press('ArrowUp');
    expect(await input(page).inputValue()).toBe('look');
    expect(faults).toEqual([]);
  });

  it('changes the words of a queued message and keeps what is attached; words whose message went are not lost', async () => {
    const driver = scriptedModelDriver([
      { text: 'First part', hangs: true },
      { text: 'Second part', hangs: true },
    ]);
    const site = await openSite({ driver });
    const { page, faults } = await openPage(site.url);
    const queue = page.getByRole('region', { name: 'Messages that wait' });
    await page.getByRole('button', { name: 'New session' }).click();
    await input(page).fill('begin');
    await page.keyboard.press('Enter');
    await page.getByText('First part').waitFor();
    await page.getByLabel('Files to attach').setInputFiles({
      name: 'dot.png',
      mimeType: 'image/png',
      buffer: Buffer.from(pixel, 'base64'),
    });
    await attached(page).getByText('dot.png').waitFor();
    await input(page).fill('with a dott');
    await page.keyboard.press('Enter');
    await queue.getByText('dot.png').waitFor();
    await queue.getByRole('button', { name: 'Edit message 1' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('with a dot');
    await page.keyboard.press('Control+Enter');
    await queue.locator('textarea').waitFor({ state: 'detached' });
    expect(await queue.locator('li').innerText()).toContain('with a dot');
    expect(await queue.locator('li').innerText()).not.toContain('with a dott');
    await queue.getByText('dot.png').waitFor();

    await queue.getByRole('button', { name: 'Edit message 1' }).click();
    await page.keyboard.type(' and a line');
    const other = createClient({ baseUrl: site.url });
    const [session] = (await other.listSessions({})).items;
    const [waiting] = (await other.listQueue({ sessionId: session!.id })).items;
    await other.sendWaiting({ sessionId: session!.id, id: waiting!.id });
    await queue.getByText('waits no longer').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await queue.getByRole('button', { name: 'Into the input' }).click();
    expect(await input(page).inputValue()).toBe('with a dot and a line');
    await page.getByText('Second part').waitFor();
    const media = (await other.listMessages({ id: session!.id })).items.flatMap(({ parts }) =>
      parts.filter(({ type }) => type === 'media'),
    );
    expect(media).toHaveLength(1);
    await page.keyboard.press('Control+.');
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('asks with the change of a file as a diff; the answer of one tab takes the question from the other', async () => {
    const edit = defineTool({
      name: 'edit',
      description: 'Changes a file.',
      input: z.object({ path: z.string(), old_string: z.string(), new_string: z.string() }),
      execute: () => Promise.resolve('changed'),
    });
    const change = { path: 'a.ts', old_string: 'let a = 1;', new_string: 'const a = 1;' };
    const driver = scriptedModelDriver([
      { calls: [{ callId: 'c1', name: 'edit', input: change }] },
      { calls: [{ callId: 'c2', name: 'edit', input: change }] },
      { text: 'Both changed.' },
    ]);
    const site = await openSite({
      driver,
      agent: { tools: [edit], approvals: { rules: { edit: 'ask' }, isAttended: () => true } },
    });
    const { page, faults } = await openPage(site.url);
    const second = await openPage(site.url);
    await page.getByRole('button', { name: 'New session' }).click();
    await input(page).fill('change it');
    await page.keyboard.press('Enter');
    const asked = page.getByRole('region', { name: 'edit asks' });
    await asked.getByText('+ const a = 1;').waitFor();
    await asked.getByText('- let a = 1;').waitFor();
    await asked.getByText('it covers every call of edit').waitFor();
    await page.getByRole('status').getByText('edit waits for your answer.').waitFor({ state: 'attached' });
    expect(await accessFaults(page)).toEqual([]);
    await second.page.goto(page.url());
    const askedThere = second.page.getByRole('region', { name: 'edit asks' });
    await askedThere.getByText('+ const a = 1;').waitFor();
    await asked.getByRole('button', { name: 'For this session' }).focus();
    await page.keyboard.press('Enter');
    await askedThere.waitFor({ state: 'detached' });
    await second.page.getByText('Both changed.').waitFor();
    expect(driver.requests).toHaveLength(3);
    await page.getByRole('link', { name: 'Trace' }).click();
    const runs = page.getByRole('region', { name: 'Runs' });
    await runs.getByText('completed', { exact: true }).waitFor();
    expect(await runs.getByText(/^Run \d+$|^Outside of runs$|^under way$/).allTextContents()).toEqual([
      'Run 1',
    ]);
    expect([...faults, ...second.faults]).toEqual([]);
  });
});
