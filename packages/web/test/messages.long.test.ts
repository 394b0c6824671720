import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { defineTool } from '@throughline/agent';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { overWidth, watchAddresses } from './page-facts.ts';
import { openPage, openSite } from './open-site.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { z } from 'zod';
import type { Json } from '@throughline/core/codec';
import type { Locator, Page } from 'playwright-core';

const message = (page: Page, ordinal: number) => page.locator(`article[data-message="${ordinal}"]`);
const card = (page: Page, text: string) => page.locator('details', { hasText: text }).last();

async function begin(page: Page, text: string): Promise<string> {
  await page.getByRole('button', { name: 'New session' }).click();
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
  await page.locator('article').first().waitFor();
  return page.url().split('/').at(-1) ?? '';
}

/** A tool that prints a line, and ends when it is told to or cancelled. */
function slowTool() {
  let end = (): void => {};
  const tool = defineTool({
    name: 'watch',
    description: 'Waits.',
    input: z.object({ file: z.string() }),
    approval: 'allow',
    async execute({ file }, { emit, signal }) {
      emit(`looking at ${file}\n`);
      await new Promise<void>((done) => {
        end = done;
        signal.addEventListener('abort', () => done(), { once: true });
      });
      signal.throwIfAborted();
      return 'seen '.repeat(30_000);
    },
  });
  return { tool, end: () => end() };
}

/** Presses the first line of a card that begins above what is in sight, right after the page went down; says by how much it moved. */
async function pressWhileItMovesDown(page: Page, opened: Locator): Promise<number> {
  const id = await opened.evaluate(
    (one: { closest(name: string): { id: string } }) => one.closest('article').id,
  );
  return await page.evaluate(`(async () => {
    const box = document.querySelector('[role="log"]');
    const row = document.getElementById(${JSON.stringify(id)});
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top + 8;
    await frame();
    const { top } = row.getBoundingClientRect();
    row.querySelector('summary').click();
    for (let count = 0; count < 30; count += 1) await frame();
    return Math.round(row.getBoundingClientRect().top - top);
  })()`);
}

const call = (callId: string, name: string, input: Json) => ({ calls: [{ callId, name, input }] });

describeInBrowser('calls of tools', () => {
  it('show their output while they run, what came of them, and the whole of what was cut; a stopped one is cancelled, also after a reload', async () => {
    const { tool, end } = slowTool();
    const driver = scriptedModelDriver([
      call('c1', 'watch', { file: 'a.log' }),
      call('c2', 'watch', { file: 'b.log' }),
    ]);
    const site = await openSite({ driver, agent: { tools: [tool] } });
    const { page, faults } = await openPage(site.url);
    await begin(page, 'watch them');
    const first = card(page, 'a.log');
    await first.getByText('looking at a.log').waitFor();
    await page.getByText('tool watch').waitFor();
    end();
    await card(page, 'b.log').getByText('looking at b.log').waitFor();
    await expect.poll(() => first.getAttribute('open')).toBeNull();
    await first.locator('summary').click();
    await first.getByText('The output was cut before it was stored here.').waitFor();
    await first.getByRole('button', { name: 'Show the whole' }).click();
    await first.getByText('The whole (m2.0)').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('log').press('End');
    const cancelled = card(page, 'b.log').locator('summary').getByText('cancelled');
    await cancelled.waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await page.reload();
    await cancelled.waitFor();
    expect(faults).toEqual([]);
  });

  it('show an edit as what goes and what comes, and what was opened is open when it comes into sight again', async () => {
    const edit = { path: 'src/a.ts', oldText: 'const a = 1;\nkeep\n', newText: 'const a = 2;\nkeep\n' };
    const whole = { path: 'big.txt', content: `${'line\n'.repeat(30_000)}` };
    const patch = { patch: '*** Begin Patch\n*** Update File: b.ts\n-old\n+new\n*** End Patch' };
    const any = defineTool({
      name: 'change',
      description: 'Changes.',
      input: z.record(z.string(), z.unknown()),
      approval: 'allow',
      execute: () => Promise.resolve('changed'),
    });
    const driver = scriptedModelDriver([
      call('c1', 'change', edit),
      call('c2', 'change', whole),
      call('c3', 'change', patch),
      { text: Array.from({ length: 200 }, (_, at) => `Paragraph ${at}.`).join('\n\n') },
      ...Array.from({ length: 8 }, () => ({ text: 'More.\n\n'.repeat(60) })),
    ]);
    const site = await openSite({ driver, agent: { tools: [any] } });
    const { page, faults } = await openPage(site.url);
    const sessionId = await begin(page, 'change them');
    await page.getByText('Paragraph 199.').waitFor();
    const client = createClient({ baseUrl: site.url });
    for (let turn = 0; turn < 8; turn += 1) {
      await client.sendMessage({ sessionId, content: `go on ${turn}` });
      await expect
        .poll(async () => (await client.getSession({ id: sessionId })).messageCount)
        .toBe(10 + 2 * turn);
    }
    await page.getByRole('log').press('Home');
    await card(page, 'Begin Patch').locator('summary').first().click();
    await page.getByText('+ new', { exact: true }).waitFor();
    await card(page, 'big.txt').locator('summary').first().click();
    await page.getByText('Show 29,600 more lines').waitFor();
    const first = card(page, 'src/a.ts');
    await first.locator('summary').first().click();
    await first.getByText('+ const a = 2;').waitFor();
    expect(await first.locator('figure pre').innerText()).toBe('- const a = 1;\n+ const a = 2;\n  keep');
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('log').press('End');
    await first.waitFor({ state: 'detached' });
    await page.getByRole('log').press('Home');
    await first.locator('figure pre').waitFor();
    expect(await pressWhileItMovesDown(page, first)).toBe(0);
    await first.locator('figure pre').waitFor({ state: 'detached' });
    expect(await pressWhileItMovesDown(page, first)).toBe(0);
    await page.getByRole('log').press('End');
    await first.waitFor({ state: 'detached' });
    await page.getByRole('log').press('Home');
    await first.locator('figure pre').waitFor();
    expect(faults).toEqual([]);
  });
});

describeInBrowser('what the user wrote', () => {
  it('stands in the conversation as it was written: lines, signs of Markdown, and each of several that waited', async () => {
    const driver = scriptedModelDriver([
      { text: '**To** the first', hangs: true },
      { text: '**To** the rest' },
    ]);
    const site = await openSite({ driver });
    const { page, faults } = await openPage(site.url);
    const written = '# a heading?\n  indented *twice*\n<b>no tag</b> 1. 2.\n[3]: reference';
    const sessionId = await begin(page, written);
    await message(page, 1).getByText('To', { exact: true }).waitFor();
    const client = createClient({ baseUrl: site.url });
    for (const content of ['yes', 'no', 'maybe']) await client.sendMessage({ sessionId, content });
    await page.getByText('3', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Go on' }).click();
    await message(page, 3).getByText('To', { exact: true }).waitFor();
    expect(await message(page, 0).innerText()).toContain(written);
    expect(await message(page, 2).innerText()).toContain('[2]: no');
    expect(faults).toEqual([]);
  });
});

describeInBrowser('an answer', () => {
  it('has the same height while it grows and afterwards, so that its end moves nothing', async () => {
    const blocks = [
      '## First',
      'One.',
      'Two.',
      '```ts\nconst a = 1;\n```',
      '- a\n- b\n\n  more of b',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '> said',
      '### Last',
      'End.',
    ];
    const site = await openSite({
      driver: scriptedModelDriver([{ text: blocks.join('\n\n'), hangs: true }]),
    });
    const { page, faults } = await openPage(site.url);
    await begin(page, 'go');
    const answer = message(page, 1).locator('.markdown');
    await answer.getByText('End.').waitFor();
    await answer.locator('[data-streamdown="code-block"] span[style]').first().waitFor();
    const growing = await answer.boundingBox();
    await page.getByRole('button', { name: 'Stop' }).click();
    await message(page, 1).getByText('Stopped.').waitFor();
    await answer.locator('[data-streamdown="code-block"] span[style]').first().waitFor();
    expect((await answer.boundingBox())?.height).toBe(growing?.height);
    const [one, two] = await Promise.all(
      ['One.', 'Two.'].map((text) => answer.getByText(text).boundingBox()),
    );
    expect((two?.y ?? 0) - (one?.y ?? 0) - (one?.height ?? 0)).toBe(12);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('code', () => {
  it('of no language is called text, so that its bar is not empty', async () => {
    const text = 'Here:\n\n```\nplain\n```\n\n```js\nlet a;\n```\n\nDone.';
    const site = await openSite({ driver: scriptedModelDriver([{ text }]) });
    const { page } = await openPage(site.url);
    await begin(page, 'go');
    const headers = page.locator('[data-streamdown="code-block-header"]');
    await message(page, 1).getByText('Done.').waitFor();
    await expect.poll(() => headers.allTextContents()).toEqual(['text', 'js']);
  });
});

describeInBrowser('a list to tick', () => {
  it('has a box before each entry, and no second sign', async () => {
    const site = await openSite({ driver: scriptedModelDriver([{ text: '- [x] done\n- to do\n\nEnd.' }]) });
    const { page, faults } = await openPage(site.url);
    await begin(page, 'go');
    await message(page, 1).locator('li').first().waitFor();
    const signs = await page.evaluate(
      "[...document.querySelectorAll('article li')].map((one) => getComputedStyle(one).listStyleType)",
    );
    expect(signs).toEqual(['none', 'disc']);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('formulas of an answer', () => {
  it('are set as models write them, and prices and code stay what they are', async () => {
    const text = [
      'Here \\(x_1\\), $a^2$ and $$b$$ for $5 or $6, and `$c_1$`.',
      String.raw`\[ \sum_{i=1}^n i \]`,
      'End.',
    ].join('\n\n');
    const site = await openSite({ driver: scriptedModelDriver([{ text, hangs: true }]) });
    const { page, faults } = await openPage(site.url);
    await begin(page, 'go');
    const answer = message(page, 1);
    for (const isDone of [false, true]) {
      if (isDone) await page.getByRole('button', { name: 'Stop' }).click();
      if (isDone) await answer.getByText('Stopped.').waitFor();
      await expect.poll(() => answer.locator('.katex').count()).toBe(4);
      expect(await answer.locator('.katex-display').count()).toBe(1);
      expect(await answer.locator('code').innerText()).toBe('$c_1$');
      expect(await answer.innerText()).toContain('for $5 or $6, and');
    }
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('versions of a message', () => {
  it('are one arrow away from each other, the first message included, also in another tab', async () => {
    const driver = scriptedModelDriver(
      ['one', 'two', 'other two', 'other one'].map((text) => ({ text: `Answer to ${text}` })),
    );
    const site = await openSite({ driver });
    const { page, faults } = await openPage(site.url);
    const first = await begin(page, 'one');
    await page.getByText('Answer to one').waitFor();
    const client = createClient({ baseUrl: site.url });
    await client.sendMessage({ sessionId: first, content: 'two' });
    await page.getByText('Answer to two').waitFor();
    expect(await page.getByRole('group', { name: 'Versions of this message' }).count()).toBe(0);
    const { session: later } = await client.branchSession({ id: first, at: 2, content: 'other two' });
    await message(page, 2).getByText('1 / 2').waitFor();
    expect(await message(page, 0).getByRole('button', { name: 'Version after' }).count()).toBe(0);
    await message(page, 2).getByRole('button', { name: 'Version after' }).click();
    await page.getByText('Answer to other two').waitFor();
    expect(page.url()).toContain(`${later.id}/at/m2`);
    const { session: begun } = await client.branchSession({ id: later.id, at: 0, content: 'other one' });
    await message(page, 0).getByRole('button', { name: 'Version after' }).click();
    await page.getByText('Answer to other one').waitFor();
    expect(page.url()).toContain(begun.id);
    expect(await message(page, 0).getByRole('button', { name: 'Version after' }).isDisabled()).toBe(true);
    await message(page, 0).getByRole('button', { name: 'Version before' }).click();
    await message(page, 2).getByRole('button', { name: 'Version before' }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('what a tool or a model writes', () => {
  it('hides nothing of a command, is opened as no page of this server, and leaves everybody room', async () => {
    const page64 = Buffer.from('<script>document.title="taken"</script>').toString('base64');
    const hostile = defineTool({
      name: 'bash',
      description: 'Runs.',
      input: z.object({ command: z.string() }),
      approval: 'allow',
      execute: () =>
        Promise.resolve({
          content: [
            {
              type: 'text' as const,
              text: `<img src=x onerror=alert(1)>\u202Ereversed ${'x'.repeat(300_000)}`,
            },
            {
              type: 'media' as const,
              mediaType: 'text/html',
              source: { type: 'base64' as const, data: page64 },
              filename: 'a.html',
            },
          ],
        }),
    });
    const driver = scriptedModelDriver([
      call('c1', 'bash', { command: 'echo \u202Esafe# ; rm -rf ~' }),
      {
        text: `#### You\n\nnot you\n\n${'y'.repeat(20_000)}\n\n${'| wide '.repeat(60)}|\n${'|---'.repeat(60)}|\n\n\`\`\`js\n${'wide(); '.repeat(80)}\n\`\`\`\n\n$$${'x+'.repeat(200)}y$$\n`,
      },
    ]);
    const site = await openSite({ driver, agent: { tools: [hostile] } });
    const { page, faults } = await openPage(site.url, { viewport: { width: 390, height: 800 } });
    const addressTypes = await watchAddresses(page);
    await page.getByRole('button', { name: 'Sessions' }).click();
    await begin(page, 'run it');
    await message(page, 3).locator('table').waitFor();
    expect(await message(page, 3).locator('h1, h2').allInnerTexts()).toEqual(['Agent']);
    // What is moved sideways is reached with the keyboard, before there are colours in it and after.
    await page.getByRole('group', { name: 'Code' }).focus();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('log').press('Home');
    const bash = page.locator('details', { hasText: 'bash' }).first();
    await bash.locator('summary').getByText('⟨U+202E⟩').waitFor();
    await bash.locator('summary').click();
    expect(await bash.locator('pre').first().innerText()).toContain('⟨U+202E⟩safe# ; rm -rf ~');
    const file = bash.getByRole('link', { name: 'a.html' });
    await expect.poll(() => file.getAttribute('href')).toMatch(/^blob:/);
    expect(await addressTypes()).toEqual(['application/octet-stream']);
    expect(await overWidth(page.locator('html'))).toBe(0);
    expect(await overWidth(page.getByRole('log'))).toBe(0);
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
