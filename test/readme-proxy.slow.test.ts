import { createStrictUpstream } from '@throughline/testkit';
import { expect, it } from 'vitest';
import { join } from 'node:path';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

const root = join(import.meta.dirname, '..');

/** The block of README behind this heading. */
async function blockBehind(heading: string): Promise<string> {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const [, behind = ''] = text.split(`\n${heading}\n`);
  return /```sh\n(.*?)```/s.exec(behind)?.[1] ?? '';
}

it('the lines of README put a proxy in front of a server, and clients behind it', async () => {
  const block = await blockBehind('### Proxy');
  const [, line = ''] = /^\.\/throughline (proxy .*?)\s+#/m.exec(block) ?? [];
  const [, stated = ''] = /stands at (\S+)/.exec(block) ?? [];
  const [, anthropic = ''] = /ANTHROPIC_BASE_URL=(\S+)/.exec(block) ?? [];
  const [, openai = ''] = /OPENAI_BASE_URL=(\S+)/.exec(block) ?? [];
  const upstream = await createStrictUpstream({});
  const home = await mkdtemp(join(tmpdir(), 'readme-proxy-'));
  const words = line.split(' ').map((word) => (word.startsWith('http') ? `${upstream.url}/v1` : word));
  expect(words.slice(0, 2)).toEqual(['proxy', '--upstream']);
  // The address of README may be taken on this machine.
  const args = [join(root, 'packages/cli/src/main.ts'), ...words, '--port', '0', '--json'];
  const child = spawn(process.execPath, ['--conditions=throughline-source', ...args], {
    cwd: home,
    env: { ...process.env, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [told] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(told.toString()) as { url: string };
    expect([anthropic, openai].every((address) => address.startsWith(stated))).toBe(true);
    const at = (address: string): string => url + address.slice(stated.length);
    const question = { role: 'user' as const, content: 'Who is there?' };
    const claude = new Anthropic({ baseURL: at(anthropic), apiKey: 'k', maxRetries: 0 });
    const message = await claude.messages.create({ model: 'm', max_tokens: 99, messages: [question] });
    const gpt = new OpenAI({ baseURL: at(openai), apiKey: 'k', maxRetries: 0 });
    const completion = await gpt.chat.completions.create({ model: 'm', messages: [question] });
    expect(message.content).toMatchObject([{ text: expect.stringContaining('Who is there?') }]);
    expect(completion.choices[0]?.message.content).toContain('Who is there?');
    expect(upstream.requests.filter(({ kind }) => kind === 'answer').map(({ path }) => path)).toEqual([
      '/v1/messages',
      '/v1/chat/completions',
    ]);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'close');
    await upstream.stop();
    await rm(home, { recursive: true, force: true });
  }
});
