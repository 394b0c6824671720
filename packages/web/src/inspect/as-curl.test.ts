import { asCurl } from './as-curl.ts';
import { describe, expect, it } from 'vitest';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import type { RequestToSend } from './as-curl.ts';

const formats = ['openai-chat', 'openai-responses', 'anthropic'] as const;

/** Runs commands in a real shell, with another program in the place of curl: what each was given. */
function ran(commands: readonly string[]): { readonly body: string; readonly args: readonly string[] }[] {
  const fake = `curl() { for one in "$@"; do printf '%s\\037' "$one"; done; printf '\\036'; cat; printf '\\035'; }\n`;
  const { stdout, stderr, status } = spawnSync('sh', [], {
    input: fake + commands.join(''),
    encoding: 'utf8',
    env: { API_KEY: 'the key', PATH: process.env['PATH'] ?? '' },
    maxBuffer: 64_000_000,
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .split('\u001D')
    .slice(0, -1)
    .map((one) => {
      const [args = '', body = ''] = one.split('\u001E');
      return { args: args.split('\u001F').slice(0, -1), body };
    });
}

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    "'; touch /tmp/owned; '",
    '$(reboot) `reboot` ${API_KEY}',
    '\nEND_OF_REQUEST\nreboot\n',
    '\u0000\u001B[2J\u2028!!',
  ),
);

it('gives a shell exactly the request, whatever was said in it', () => {
  const requests = fc.array(fc.record({ format: fc.constantFrom(...formats), text: nasty, system: nasty }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(requests, (list) => {
      const asked = list.map(({ format, text, system }) => ({ format, text, system, model: 'm' }));
      const commands = asked.map(
        ({ text, ...rest }) => asCurl({ ...rest, messages: [{ role: 'user', content: text }] }) ?? '',
      );
      const results = ran(commands);
      expect(results).toHaveLength(asked.length);
      for (const [index, { body }] of results.entries()) {
        const sent = JSON.parse(body) as Record<string, readonly unknown[]>;
        const { format, text } = asked[index] ?? { format: '', text: '' };
        const said = { role: 'user', content: text.toWellFormed() };
        expect(sent[format === 'openai-responses' ? 'input' : 'messages']?.at(-1)).toEqual(said);
      }
    }),
    { numRuns: 5 },
  );
});

it('asks the server of the format, with the key of whoever runs it', () => {
  const commands = formats.map((format) => asCurl({ format, model: 'm', messages: [] }) ?? '');
  expect(commands.join('')).not.toContain('the key');
  expect(ran(commands).map(({ args }) => args)).toMatchObject([
    [
      '-sS',
      'https://api.openai.com/v1/chat/completions',
      '-H',
      'content-type: application/json',
      '-H',
      'authorization: Bearer the key',
      '--data-binary',
      '@-',
    ],
    [
      '-sS',
      'https://api.openai.com/v1/responses',
      '-H',
      'content-type: application/json',
      '-H',
      'authorization: Bearer the key',
      '--data-binary',
      '@-',
    ],
    [
      '-sS',
      'https://api.anthropic.com/v1/messages',
      '-H',
      'content-type: application/json',
      '-H',
      'x-api-key: the key',
      '-H',
      'anthropic-version: 2023-06-01',
      '--data-binary',
      '@-',
    ],
  ]);
});

describe('the body', () => {
  const request: Omit<RequestToSend, 'format'> = {
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    system: 'Be brief.',
    tools: [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }, { type: 'web_search' }],
    maxOutputTokens: 100,
    toolChoice: 'none',
  };
  const schema = { name: 'look', description: 'Looks' };

  it.each([
    [
      'openai-chat',
      {
        model: 'm',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
        tools: [
          { type: 'function', function: { ...schema, parameters: { type: 'object' } } },
          { type: 'web_search' },
        ],
        max_completion_tokens: 100,
        tool_choice: 'none',
      },
    ],
    [
      'openai-responses',
      {
        model: 'm',
        instructions: 'Be brief.',
        input: [{ role: 'user', content: 'Hi' }],
        store: false,
        tools: [
          { type: 'function', ...schema, parameters: { type: 'object' }, strict: false },
          { type: 'web_search' },
        ],
        max_output_tokens: 100,
        tool_choice: 'none',
      },
    ],
    [
      'anthropic',
      {
        model: 'm',
        max_tokens: 100,
        system: 'Be brief.',
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [{ ...schema, input_schema: { type: 'object' } }, { type: 'web_search' }],
        tool_choice: { type: 'none' },
      },
    ],
  ])('is what %s takes', (format, body) => {
    expect(JSON.parse(ran([asCurl({ ...request, format }) ?? ''])[0]?.body ?? '')).toEqual(body);
  });

  it.each([
    [
      'openai-chat',
      {
        stream: true,
        stream_options: { include_usage: true },
        prompt_cache_key: 's',
        tool_choice: 'required',
        top_p: 1,
      },
    ],
    [
      'openai-responses',
      {
        stream: true,
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: 's',
        tool_choice: 'required',
        top_p: 1,
        input: [
          { role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
          { role: 'user', content: 'Hi' },
        ],
      },
    ],
    ['anthropic', { stream: true, tool_choice: { type: 'any' }, top_p: 1 }],
  ])('of one that was sent has the fields that a driver sends of %s', (format, fields) => {
    const sent: RequestToSend = {
      ...request,
      format,
      toolChoice: 'required',
      conversationId: 's',
      settings: { top_p: 1 },
      isSent: true,
      ...(format === 'openai-responses' && { system: [{ type: 'input_text', text: 'Be brief.' }] }),
    };
    const [made] = ran([asCurl(sent) ?? '']);
    expect(JSON.parse(made?.body ?? '')).toMatchObject(fields);
    expect(made?.args[0]).toBe('-sSN');
  });

  it('may be longer than an argument of a program', () => {
    const content = 'x'.repeat(400_000);
    const command =
      asCurl({ format: 'openai-chat', model: 'm', messages: [{ role: 'user', content }] }) ?? '';
    expect(ran([command])[0]?.body.length).toBeGreaterThan(400_000);
  });
});

it('has no command for a format of a library', () => {
  for (const format of ['ai-sdk', 'toString', ''])
    expect(asCurl({ format, model: 'm', messages: [] })).toBeUndefined();
});
