import { ContextError } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { jsonl } from '../../test/samples.ts';
import { readRecording } from '../read-recording.ts';
import type { FormatName } from '../recording/format-names.ts';
import type { Recording } from '../recording/recording.ts';

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function read(text: string, format?: FormatName): Promise<Recording> {
  return readRecording(once(text), format === undefined ? {} : { format });
}

async function reasonOf(text: string, format?: FormatName): Promise<string> {
  const error: unknown = await read(text, format).catch((caught: unknown) => caught);
  if (!ContextError.is(error, 'unreadable-file')) throw new Error(`no such error: ${String(error)}`);
  return error.details.reason;
}

const uiMessages: readonly (readonly [string, readonly object[]])[] = [
  [
    'calls',
    [
      { id: 'a', role: 'user', parts: [{ type: 'text', text: 'Weather in Bern?' }] },
      {
        id: 'b',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'Hm.', state: 'done' },
          {
            type: 'tool-weather',
            toolCallId: 'w1',
            state: 'output-available',
            input: { city: 'Bern' },
            output: 'rain',
          },
          { type: 'text', text: 'Rain.', state: 'done' },
        ],
      },
    ],
  ],
  [
    'dynamic calls',
    [
      { id: 'a', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      { id: 'b', role: 'assistant', parts: [{ type: 'dynamic-tool', toolName: 'x', toolCallId: 'w1' }] },
    ],
  ],
  ['files', [{ id: 'a', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'data:,' }] }]],
  ['sources', [{ id: 'a', role: 'assistant', parts: [{ type: 'source-url', sourceId: 's', url: 'x' }] }]],
  ['data', [{ id: 'a', role: 'assistant', parts: [{ type: 'data-status', data: {} }] }]],
  [
    'content beside their parts, as in version 4',
    [{ id: 'a', role: 'assistant', content: 'Hi', parts: [{ type: 'step-start' }] }],
  ],
];

describe('messages of a form that is not read', () => {
  it.each(uiMessages)('are named as UIMessages when they hold %s', async (_, messages) => {
    const texts = [JSON.stringify(messages, null, 2), jsonl(...messages), jsonl({ id: 'chat', messages })];
    for (const text of texts) {
      expect(await reasonOf(text)).toMatch(/^these are AI SDK UIMessages.*convertToModelMessages/);
      expect(await reasonOf(text, 'session')).toContain('convertToModelMessages');
      expect(await reasonOf(text, 'ai-sdk')).toContain('convertToModelMessages');
    }
  });

  it('are named as those of Bedrock Converse', async () => {
    const messages = [
      { role: 'user', content: [{ text: 'Weather in Bern?' }] },
      {
        role: 'assistant',
        content: [
          { text: 'I look.' },
          { toolUse: { toolUseId: 'w1', name: 'weather', input: { city: 'Bern' } } },
        ],
      },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'w1', content: [{ text: 'rain' }], status: 'success' } }],
      },
    ];
    const body = { modelId: 'm', system: [{ text: 'Be brief.' }], messages, inferenceConfig: {} };
    for (const text of [JSON.stringify(body, null, 2), jsonl(body), JSON.stringify(messages)]) {
      expect(await reasonOf(text)).toContain('Bedrock Converse');
      expect(await reasonOf(text, 'anthropic')).toContain('Bedrock Converse');
    }
  });

  it('are told from our own session, of which texts alone cannot be told', async () => {
    const own = [
      { id: 'm0', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      { id: 'm1', role: 'assistant', parts: [{ type: 'call', callId: 'c', name: 'data', input: {} }] },
      { id: 'm2', role: 'tool', parts: [{ type: 'result', callId: 'c', name: 'data', content: [] }] },
    ];
    expect((await read(jsonl(...own))).format).toBe('session');
    expect((await read(jsonl(...own.slice(0, 1)))).format).toBe('session');
    const odd = { id: 'm3', role: 'user', parts: [{ type: 'data-status', data: {} }] };
    expect((await read(jsonl(...own, odd))).sessions[0]?.messages).toHaveLength(4);
  });

  it('do not hide a conversation in which one message has such a block', async () => {
    const chat = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'user', content: [{ text: 'odd' }] },
    ];
    expect((await read(JSON.stringify(chat))).sessions[0]?.messages).toEqual(chat);
  });
});
