import { expect, it } from 'vitest';
import { configLines } from '../read-chat-config.ts';
import { folderOf, shownFolder, startLines } from './start-lines.ts';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '@throughline/config';
import type { Config } from '@throughline/config';

const place = { version: '1.2.3', folder: '/project', model: undefined, columns: 80 };

function configOf(text: string): Config {
  const file = { path: '/project/throughline.yaml', name: 'throughline.yaml', text };
  const result = parseConfig({ file, environment: {}, workingFolder: '/project' });
  if (result.type === 'faults') throw new Error(JSON.stringify(result.faults));
  return result.config;
}

it('says at once what this is, where it works and how to leave', () => {
  expect(startLines(place)).toBe('throughline 1.2.3 · /project · Ctrl-D leaves · /help\n');
  expect(startLines({ ...place, model: 'ollama:qwen3' })).toContain('/project · ollama:qwen3 · ');
});

it('stays within a narrow terminal, and obeys no name of a folder', () => {
  for (const columns of [1, 2, 7, 30])
    for (const row of startLines({ ...place, columns })
      .trimEnd()
      .split('\n'))
      expect(row.length).toBeLessThanOrEqual(Math.max(1, columns - 1));
  expect(startLines({ ...place, folder: '/a\u001b[31m' })).not.toContain('\u001b');
});

it('adds model and window, and the folder where the configuration names another', () => {
  expect(configLines(configOf('model: demo'), '/project', 80)).toBe('demo:scripted · window 32k\n');
  expect(
    configLines(configOf('model: { provider: anthropic, name: x, windowTokens: 90000 }'), '/project', 80),
  ).toBe('anthropic:x · window 90k\n');
  expect(configLines(configOf('agent: { workspace: /other }'), '/project', 80)).toBe(
    'demo:scripted · window 32k · works in /other\n',
  );
  expect(configLines(configOf('model: ollama:nobody-knows'), '/project', 80)).toContain(
    'unless the server says more',
  );
});

it('writes folders as people do', () => {
  expect(shownFolder(homedir())).toBe('~');
  expect(shownFolder(join(homedir(), 'a'))).toBe(join('~', 'a'));
  expect(shownFolder('/somewhere')).toBe('/somewhere');
  expect(folderOf('sub', { THROUGHLINE_AGENT_WORKSPACE: '/other' }, '/project')).toBe('/project/sub');
  expect(folderOf(undefined, { THROUGHLINE_AGENT_WORKSPACE: '/other' }, '/project')).toBe('/other');
  expect(folderOf(undefined, {}, '/project')).toBe('/project');
});
