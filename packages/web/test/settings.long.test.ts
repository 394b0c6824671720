import { accessFaults } from './accessible.ts';
import { createClient } from '@throughline/client';
import { expect, it } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { openPage, openSite } from './open-site.ts';
import { scriptedModelDriver } from '@throughline/testkit';
import type { ProxyConversation } from '@throughline/client';
import type { Services } from '@throughline/server';

const ann = 'a-token-of-ann-that-is-long';

describeInBrowser('the settings', () => {
  it('are changed, refused at their field, told as changed, and taken back', async () => {
    const site = await openSite();
    const client = createClient({ baseUrl: site.url });
    const { page, faults } = await openPage(`${site.url}/#/settings`);
    const target = page.getByLabel('Target, as a share of the trigger');
    const fault = page.getByRole('alert');
    await target.fill('much');
    await target.press('Enter');
    await fault.getByText('expected a number').waitFor();
    await target.fill('7');
    await target.press('Enter');
    await fault.getByText('expected a number').waitFor({ state: 'detached' });
    await fault.waitFor();
    expect(await target.getAttribute('aria-invalid')).toBe('true');
    await target.fill('0.4');
    await target.press('Enter');
    await page.getByRole('button', { name: 'Target, as a share of the trigger: back to default' }).waitFor();
    expect(await fault.count()).toBe(0);
    expect((await client.getSettings()).budget).toMatchObject({ target: 0.4 });
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: /^Target.*back to default/ }).click();
    await page.getByText('changed', { exact: true }).waitFor({ state: 'detached' });
    await page.getByLabel('Strategy', { exact: true }).selectOption('digest');
    await page.getByRole('button', { name: 'Strategy: back to default' }).waitFor();
    await page.getByLabel('Compact automatically').click();
    await page.getByRole('button', { name: 'Compact automatically: back to default' }).waitFor();
    expect(await client.getSettings()).toMatchObject({
      strategy: 'digest',
      auto: false,
      changed: ['strategy', 'auto'],
    });
    await page.getByLabel('Colours', { exact: true }).selectOption('dark');
    expect(await page.evaluate("document.documentElement.dataset['theme']")).toBe('dark');
    await page.getByRole('button', { name: /^Dark colours/ }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(faults).toEqual([]);
  });

  it('name a model that the configuration does not have, which its server is asked about, with lines to keep it', async () => {
    const other = { ...scriptedModelDriver([{ text: 'By the other' }]), name: 'ollama:other' };
    const own = { type: 'code' } as const;
    const site = await openSite({
      models: {
        names: ['demo', 'ollama:other'],
        take: ({ name }) =>
          Promise.resolve(
            name === other.name
              ? { type: 'taken', driver: other, summarisers: { configured: own, same: own, own } }
              : { type: 'refused', field: 'name', message: 'It needs a key: set OTHER_KEY.' },
          ),
      },
    });
    const { page, faults } = await openPage(`${site.url}/#/settings`);
    const model = page.getByLabel('Model of new sessions', { exact: true });
    await model.selectOption('Another model …');
    const form = page.getByRole('form', { name: 'Model of new sessions: another one' });
    await form.getByLabel('Provider and model').fill('other:x');
    await form.getByLabel('Provider and model').press('Enter');
    await form.getByRole('alert').getByText('set OTHER_KEY').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await form.getByLabel('Provider and model').fill('ollama:other');
    await form.getByLabel('Address of its server').fill('http://localhost:1234/v1');
    await form.getByLabel('Window, in tokens').fill('8000');
    await form.getByRole('button', { name: 'Use it' }).click();
    await page.getByRole('button', { name: 'Model of new sessions: back to default' }).waitFor();
    expect(await page.getByLabel('The same in throughline.yaml', { exact: true }).innerText()).toBe(
      'model:\n  provider: ollama\n  name: other\n  baseUrl: http://localhost:1234/v1\n  windowTokens: 8000',
    );
    expect(await model.inputValue()).toBe('ollama:other');
    const { sessionId } = await createClient({ baseUrl: site.url }).sendMessage({ content: 'Go' });
    await page.goto(`${site.url}/#/sessions/${sessionId}`);
    await page.getByText('By the other').waitFor();
    expect(faults).toEqual([]);
  });

  it('are kept when the server starts again, and can be otherwise for one model alone', async () => {
    const other = { ...scriptedModelDriver([]), name: 'openai-compatible:org/small.v1' };
    const site = await openSite({ otherDrivers: [other] });
    const { page, faults } = await openPage(`${site.url}/#/settings`);
    await page.getByText('are kept: they go before the configuration file').waitFor();
    const target = page.getByLabel('Target, as a share of the trigger', { exact: true });
    await target.fill('0.4');
    await target.press('Enter');
    await page.getByRole('button', { name: /^Target.*back to default/ }).waitFor();
    const scope = page.getByLabel('Numbers below hold for', { exact: true });
    await scope.selectOption(other.name);
    expect(await target.getAttribute('placeholder')).toBe('as for all: 0.4');
    expect(await target.inputValue()).toBe('');
    await target.fill('7');
    await target.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await target.getAttribute('aria-invalid')).toBe('true');
    await target.fill('0.3');
    await target.press('Enter');
    await page.getByRole('button', { name: /^Target.*back to default/ }).waitFor();
    const window = page.getByLabel('Window, in tokens', { exact: true });
    await window.fill('9000');
    await window.press('Tab');
    await page.getByRole('button', { name: /^Window.*back to default/ }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await site.restart();
    await page.reload();
    await page.getByRole('button', { name: /^Target.*back to default/ }).waitFor();
    expect(await target.inputValue()).toBe('0.4');
    await scope.selectOption({ label: `${other.name} (has its own)` });
    expect([await window.inputValue(), await target.inputValue()]).toEqual(['9000', '0.3']);
    const client = createClient({ baseUrl: site.url });
    const { sessionId } = await client.wait({ content: 'help' });
    const windowNow = async (): Promise<number> => (await client.getContext({ id: sessionId })).windowTokens;
    const before = await windowNow();
    await client.switchModel({ id: sessionId, model: other.name });
    expect([before === 9_000, await windowNow()]).toEqual([false, 9_000]);
    await page.getByRole('button', { name: /^Window.*back to default/ }).click();
    await page.getByRole('button', { name: /^Window.*back to default/ }).waitFor({ state: 'detached' });
    expect((await client.getSettings()).byModel).toEqual({ [other.name]: { budget: { target: 0.3 } } });
    expect(faults).toEqual([]);
  });

  it('say which kept setting cannot be had, and give it up', async () => {
    const site = await openSite();
    await site.services.agent.store.settings?.keep(0, { strategy: 'of-a-newer-version' });
    const { page, faults } = await openPage(`${site.url}/#/settings`);
    await page.getByText('The kept setting strategy cannot be had now; what is configured holds').waitFor();
    await page.getByText('There is no strategy of-a-newer-version.').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Give it up' }).click();
    await page.getByText('The kept setting strategy').waitFor({ state: 'detached' });
    expect((await site.services.agent.store.settings?.read())?.settings).toEqual({});
    expect(faults).toEqual([]);
  });

  it('can only be looked at by an owner with a name', async () => {
    const site = await openSite({ tokens: [{ owner: 'ann', token: ann }] });
    const { page, faults } = await openPage(site.url);
    await page.getByLabel('Token').fill(ann);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('You can look at these settings and not change them').waitFor();
    expect(await page.getByLabel('Strategy', { exact: true }).isDisabled()).toBe(true);
    await page.getByText('This browser calls the server with a token.').waitFor();
    expect(faults).toEqual([]);
  });
});

const conversation: ProxyConversation = {
  id: 'abc',
  route: 'local',
  model: 'llama',
  title: 'Fix <img src=x onerror=alert(1)> the build',
  label: 'claude-1',
  parentId: null,
  messageCount: 41,
  requestCount: 12,
  compactionCount: 2,
  lastUsage: { inputTokens: 12_345, outputTokens: 10 },
  createdAtMs: 1,
  updatedAtMs: 2,
};

function proxied(conversations: ProxyConversation[]): NonNullable<Services['proxied']> {
  const unused = (): never => {
    throw new Error('was not expected');
  };
  const models = [{ model: 'llama', windowTokens: 32_768, source: 'learned', maxInputTokens: null }] as const;
  const traffic = {
    sinceMs: 0,
    requests: 12,
    changed: 5,
    overflows: 1,
    restarts: 0,
    recalls: 0,
    dialects: ['chat'],
  } as const;
  const route = {
    name: 'local',
    upstream: 'http://127.0.0.1:8080',
    strategy: 'reactive-overflow',
    windowTokens: null,
    onFailure: 'open',
    compaction: 'proxy',
    models,
    traffic,
  } as const;
  return () =>
    Promise.resolve({
      routes: () => Promise.resolve({ items: [route] }),
      list: () => Promise.resolve({ items: [...conversations], next: null }),
      delete: (_, id) => Promise.resolve(conversations.splice(0).some((one) => one.id === id)),
      search: unused,
      read: unused,
      messages: unused,
      history: unused,
      compactions: unused,
      context: unused,
      searchIn: unused,
      recall: unused,
    });
}

describeInBrowser('the proxies', () => {
  it('are shown with their limits, traffic and conversations, which lead into the inspector', async () => {
    const site = await openSite({ proxied: proxied([conversation]) });
    const { page, faults } = await openPage(`${site.url}/#/proxy`);
    const route = page.getByRole('region', { name: 'Routes' }).getByRole('listitem').first();
    await route.getByText('http://127.0.0.1:8080').waitFor();
    expect(await route.textContent()).toContain('32.8K tokens, learned from an error');
    expect(await route.textContent()).toContain(`${site.url}/proxy/local`);
    const link = page.getByRole('link', { name: conversation.title });
    expect(await link.getAttribute('href')).toBe('#/proxy/conversations/abc/inspector');
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: /^Delete Fix/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('None yet.').waitFor();
    expect(faults).toEqual([]);
  });

  it('are explained where there are none', async () => {
    const site = await openSite();
    const { page, faults } = await openPage(`${site.url}/#/proxy`, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    await page.getByText('No proxy is configured').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await accessFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
