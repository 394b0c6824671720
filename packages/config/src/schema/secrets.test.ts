import { expect, it } from 'vitest';
import { maskSecrets } from './secrets.ts';
import { parseConfig } from '../parse-config.ts';

it('maskSecrets leaves names and hides what they hold', () => {
  const text = `
model: { provider: openai, name: m, apiKey: secret-1, headers: { x: secret-2 } }
summarizer: anthropic:claude-opus-4-5
mcpServers:
  a: { command: run, args: [one], env: { TOKEN: secret-3 } }
  b: { url: "http://h/mcp", headers: { Authorization: secret-4 } }
`;
  const result = parseConfig({
    file: { path: '/a.yaml', text },
    environment: { ANTHROPIC_API_KEY: 'secret-5' },
    workingFolder: '/',
  });
  if (result.type === 'faults') throw new Error(JSON.stringify(result.faults));
  const shown = maskSecrets(result.config);
  expect(JSON.stringify(shown)).not.toContain('secret-');
  expect(shown).toMatchObject({
    model: { apiKey: '(hidden)', apiKeyEnv: 'OPENAI_API_KEY', headers: { x: '(hidden)' } },
    summarizer: { apiKey: '(hidden)' },
    mcpServers: { a: { args: ['one'], env: { TOKEN: '(hidden)' } } },
  });
});
