import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { defineTool } from '@throughline/agent';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { overWidth } from './page-facts.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import { z } from 'zod';

/** A session in which a tool asks with these arguments, seen on a phone. */
async function asked(name: string, input: Readonly<Record<string, string | boolean>>) {
  const tool = defineTool({
    name,
    description: 'Does something.',
    input: z.record(z.string(), z.unknown()),
    approval: 'ask',
    execute: () => Promise.resolve('done'),
  });
  const driver = scriptedModelDriver([{ calls: [{ callId: 'c1', name, input }] }, { text: 'Done.' }]);
  const site = await openSite({ driver, agent: { tools: [tool] } });
  const { sessionId } = await createClient({ baseUrl: site.url }).sendMessage({ content: 'go' });
  const { page, faults } = await openPage(`${site.url}/#/sessions/${sessionId}`, {
    viewport: { width: 390, height: 844 },
  });
  const question = page.getByRole('region', { name: `${name} asks` });
  await question.getByRole('button', { name: 'Allow once' }).waitFor();
  return { page, faults, question };
}

describeInBrowser('the question of a tool', () => {
  it('shows all that comes with a command, with no character hidden, and its answers however long it is', async () => {
    const command = `echo \u202Esafe ${'and so on '.repeat(300)}`;
    const { page, faults, question } = await asked('deploy', { command, host: 'production', force: true });
    expect(await question.getByLabel('What it would do').innerText()).toContain('⟨U+202E⟩safe');
    const others = question.getByLabel('Other arguments');
    expect(JSON.parse(await others.innerText())).toEqual({ host: 'production', force: true });
    expect(await question.innerText()).not.toContain('\u202E');
    const box = await page.getByRole('region', { name: 'Your side' }).boundingBox();
    const scope = await question.getByText('For longer, it covers').boundingBox();
    expect(scope?.height).toBeLessThan((box?.height ?? 0) / 4);
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('names the file that would be written to its end', async () => {
    const path = `src/${'a-long-folder/'.repeat(8)}../../../.bashrc`;
    const { faults, question } = await asked('write', { path, content: 'alias ls=rm' });
    const name = question.locator('figcaption');
    expect(await name.textContent()).toBe(path);
    expect(await overWidth(name)).toBe(0);
    expect(faults).toEqual([]);
  });
});
