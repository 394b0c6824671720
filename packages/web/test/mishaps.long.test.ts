import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { defineTool } from '@throughline/agent';
import { expect, it } from 'vitest';
import { goTo, overWidth } from './page-facts.ts';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { z } from 'zod';

describeInBrowser('what goes wrong', () => {
  it('in a part of the page whose code does not arrive leaves the rest of it', async () => {
    const site = await openSite({ driver: scriptedModelDriver([{ text: 'As **it** was written' }]) });
    const client = createClient({ baseUrl: site.url });
    const { sessionId } = await client.wait({ content: 'hello' });
    const { page } = await openPage(site.url);
    await page.route(/assets\/(markdown|settings-page)-/, (route) => route.abort());
    await goTo(page, `/sessions/${sessionId}`);
    await page.getByText('As **it** was written').waitFor();
    await goTo(page, '/settings');
    await page.getByText('This could not be shown').waitFor();
    await page.getByRole('link', { name: /^Session of/ }).click();
    await page.getByText('As **it** was written').waitFor();
    await page.getByLabel('Message', { exact: true }).waitFor();
  });

  it('with an address says so and leads out of there', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(site.url);
    for (const place of [
      '/proxy/conversations/%E0%A4%A/inspector',
      '/proxy/conversations/nobody/inspector',
      '/sessions/nobody',
      '/sessions/nobody/inspector',
      '/sessions/%E0%A4%A/trace',
      '/sessions/nobody/trace',
    ]) {
      await goTo(page, place);
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(await alert.textContent(), place).toMatch(/not found|does not exist|no such|There is no/i);
      await alert.getByRole('button', { name: 'To the start' }).click();
      await alert.waitFor({ state: 'detached' });
    }
    expect(faults).toEqual([]);
  });

  it('with the server is said, and the page stays, whatever of it had not been loaded by then', async () => {
    const site = await openSite({ driver: scriptedModelDriver([{ text: 'Said before' }]) });
    const client = createClient({ baseUrl: site.url });
    const { sessionId } = await client.wait({ content: 'hello' });
    const { page } = await openPage(`${site.url}/#/sessions/${sessionId}`);
    await page.getByText('Said before').waitFor();
    await page.route('**/*', (route) => route.abort());
    await page.getByRole('button', { name: 'New session' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('No session could be made').waitFor();
    await page.keyboard.press('Control+k');
    await alert.getByText('This window could not be loaded').waitFor();
    await page.getByRole('button', { name: 'More for this session' }).click();
    await page.getByText('Said before').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('still here');
    expect(await page.getByText('This could not be shown').count()).toBe(0);
  });

  it('with the model is told in full while it is asked again, on a narrow page too', async () => {
    const message = `connect ECONNREFUSED 127.0.0.1:4392: ${'nothing listens there. '.repeat(4)}Start it, or change it.`;
    const failed = { failure: { kind: 'provider', message, recoverable: true } } as const;
    // Without guards of its own: the agent asks it again.
    const driver = { ...scriptedModelDriver([failed, { text: 'At last' }]), guards: {} };
    const site = await openSite({ driver, agent: { retry: { firstDelayMs: 600_000, maxDelayMs: 600_000 } } });
    const client = createClient({ baseUrl: site.url });
    const { id } = await client.createSession({});
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`, {
      viewport: { width: 390, height: 844 },
    });
    await page.getByLabel('Message', { exact: true }).fill('hello');
    await page.keyboard.press('Enter');
    const said = page.getByText(/^attempt 2 in \d+ s: connect ECONNREFUSED.*Start it, or change it\.$/);
    await said.waitFor();
    expect(await overWidth(said)).toBe(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await said.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('and what was stopped stays in the conversation, in its place, also after a reload', async () => {
    const failure = { kind: 'provider', message: 'The server \u202Eburns.', recoverable: false } as const;
    const driver = scriptedModelDriver([
      { failure },
      { text: 'At last' },
      { text: '', hangs: true },
      { text: 'Half of it', hangs: true },
      { text: 'All of it' },
    ]);
    const site = await openSite({ driver });
    const client = createClient({ baseUrl: site.url });
    const { id } = await client.createSession({});
    const { page, faults } = await openPage(`${site.url}/#/sessions/${id}`);
    const input = page.getByLabel('Message', { exact: true });
    const say = async (text: string): Promise<void> => {
      await input.fill(text);
      await page.keyboard.press('Enter');
    };
    const stop = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    };
    const lines = page.locator('article p, [data-run-end]');
    const ends = page.locator('[data-run-end]');
    await say('first');
    const banner = page.getByRole('alert').filter({ hasText: 'burns' });
    await banner.waitFor();
    expect(await ends.count()).toBe(0);
    await banner.getByRole('button', { name: 'Dismiss' }).click();
    await ends.waitFor();
    await say('second');
    await page.getByText('At last').waitFor();
    await say('third');
    await page.getByText('third', { exact: true }).waitFor();
    await stop();
    await say('fourth');
    await page.getByText('Half of it').waitFor();
    await stop();
    await say('fifth');
    await page.getByText('All of it').waitFor();
    const seen = [
      'first',
      'The model did not answer: The server ⟨U+202E⟩burns.',
      'second',
      'At last',
      'third',
      'Stopped',
      'fourth',
      'Half of it',
      'Stopped. What was written until then stays.',
      'fifth',
      'All of it',
    ];
    await expect.poll(() => lines.allTextContents()).toEqual(seen);
    await page.reload();
    await expect.poll(() => lines.allTextContents()).toEqual(seen);
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('and what waits for an answer is told to who opens the session later', async () => {
    const bash = defineTool({
      name: 'bash',
      description: 'Runs.',
      input: z.object({ command: z.string() }),
      approval: 'ask',
      execute: () => Promise.resolve('done'),
    });
    const driver = scriptedModelDriver([
      { calls: [{ callId: 'c1', name: 'bash', input: { command: 'ls' } }] },
      { failure: { kind: 'provider', message: 'The server burns.', recoverable: true } },
    ]);
    const site = await openSite({ driver, agent: { tools: [bash] } });
    const client = createClient({ baseUrl: site.url });
    const { sessionId } = await client.sendMessage({ content: 'run it' });
    await expect.poll(async () => (await client.listApprovals({ id: sessionId })).items.length).toBe(1);
    const { page, faults } = await openPage(`${site.url}/#/sessions/${sessionId}`);
    const call = page.locator('details', { hasText: 'bash' }).first();
    await call.locator('summary').getByText('waits').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await client.settleRun({ id: sessionId });
    await client.sendMessage({ sessionId, content: 'and now?' });
    await client.settleRun({ id: sessionId });
    await page.reload();
    await page.getByRole('alert').getByText('The server burns.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(faults).toEqual([]);
  });
});
