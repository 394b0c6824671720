import { describe, expect, it } from 'vitest';
import { editObject } from '../../json/edit-object.ts';
import type { CallPart, Part, ResultPart } from '../../transcript/entry.ts';
import { aiSdkCodec as codec } from './ai-sdk-codec.ts';

const decode = (message: unknown): readonly Part[] => codec.decode(message, 0).parts;
const assistant = (...content: unknown[]): readonly Part[] => decode({ role: 'assistant', content });

describe('aiSdkCodec.decode', () => {
  it('reads file data of all versions', () => {
    const data = ['AAAA', 'https://example.org/a', new Uint8Array(5), new ArrayBuffer(6), new URL('data:,x')];
    const tagged = [
      { type: 'data', data: 'AAAA' },
      { type: 'data', data: new Uint8Array(5) },
      { type: 'url', url: new URL('https://example.org/a') },
      { type: 'reference', reference: { openai: 'file-1' } },
      { type: 'text', text: 'hello' },
    ];
    const content = [...data, ...tagged].map((value) => ({
      type: 'file',
      data: value,
      mediaType: 'application/pdf',
    }));
    expect(
      decode({ role: 'user', content }).map((part) => (part as { sizeBytes: number }).sizeBytes),
    ).toEqual([3, 0, 5, 6, 0, 3, 5, 0, 0, 5]);
  });

  it('binds reasoning by what its provider put beside it', () => {
    expect(
      assistant(
        { type: 'reasoning', text: 'a', providerOptions: { anthropic: { signature: 'sig' } } },
        { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'secret' } } },
        {
          type: 'reasoning',
          text: 'b',
          providerOptions: { openai: { itemId: 'rs', reasoningEncryptedContent: null } },
        },
        { type: 'reasoning', text: 'c', providerMetadata: { google: { thoughtSignature: 'sig' } } },
        { type: 'reasoning', text: 'd' },
      ).map((part) => part.binding),
    ).toEqual(['content', 'content', 'next-item', 'content', undefined]);
  });

  it('binds calls and texts that Gemini signed', () => {
    const providerOptions = { google: { thoughtSignature: 'sig' } };
    expect(
      assistant(
        { type: 'tool-call', toolCallId: 'a', toolName: 'x', input: {}, providerOptions },
        { type: 'text', text: '', providerOptions },
      ).map((part) => part.binding),
    ).toEqual(['content', 'content']);
  });

  it('takes a result inside an assistant message for the provider’s own', () => {
    const result = {
      type: 'tool-result',
      toolCallId: 'a',
      toolName: 'x',
      output: { type: 'text', value: 'y' },
    };
    expect(assistant(result)).toMatchObject([{ type: 'result', isProviderExecuted: true }]);
    expect(decode({ role: 'tool', content: [result] })[0]).not.toHaveProperty('isProviderExecuted');
  });

  it('takes what providers mark as their compaction for barriers', () => {
    expect(
      assistant(
        { type: 'text', text: 'summary', providerOptions: { anthropic: { type: 'compaction' } } },
        { type: 'custom', kind: 'openai.compaction', providerOptions: { openai: { itemId: 'c' } } },
        { type: 'custom', kind: 'openai.other' },
      ),
    ).toMatchObject([{ isBarrier: true }, { isBarrier: true }, { type: 'opaque' }]);
  });

  it('reads arguments and results as version 4 wrote them', () => {
    expect(assistant({ type: 'tool-call', toolCallId: 'a', toolName: 'x', args: { p: 1 } })).toMatchObject([
      { input: { type: 'value', value: { p: 1 }, at: ['content', 0, 'args'] } },
    ]);
    expect(
      decode({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', result: 'y', isError: true }],
      }),
    ).toMatchObject([{ isError: true, pieces: [{ type: 'text', text: 'y', at: ['content', 0, 'result'] }] }]);
  });
});

describe('aiSdkCodec.edit', () => {
  const truncate = (output: unknown): unknown => {
    const message = {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'x', output }],
    };
    const entry = codec.decode(message, 0);
    const part = entry.parts[0] as ResultPart;
    const edits = codec.edit(entry, [{ type: 'replace-result', part, text: 'short', keepMedia: false }]);
    return (editObject(message, edits) as typeof message).content[0]?.output;
  };

  it('keeps the error flag of a result in every form', () => {
    const providerOptions = { x: { y: 1 } };
    expect(truncate({ type: 'text', value: 'long', providerOptions })).toEqual({
      type: 'text',
      value: 'short',
      providerOptions,
    });
    expect(truncate({ type: 'json', value: { a: 1 }, providerOptions })).toEqual({
      type: 'text',
      value: 'short',
      providerOptions,
    });
    expect(truncate({ type: 'error-text', value: 'long' })).toEqual({ type: 'error-text', value: 'short' });
    expect(truncate({ type: 'error-json', value: {} })).toEqual({ type: 'error-text', value: 'short' });
    expect(truncate({ type: 'execution-denied' })).toEqual({ type: 'execution-denied', reason: 'short' });
    expect(
      truncate({ type: 'content', value: [{ type: 'media', data: 'AAAA', mediaType: 'image/png' }] }),
    ).toEqual({
      type: 'content',
      value: [{ type: 'text', text: 'short' }],
    });
  });

  it('takes the item id from an edited call, under which the old form would be sent', () => {
    const message = {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'a',
          toolName: 'write',
          input: { content: 'long' },
          providerOptions: { openai: { itemId: 'fc_1', x: 1 } },
        },
      ],
    };
    const entry = codec.decode(message, 0);
    const part = entry.parts[0] as CallPart;
    const edits = codec.edit(entry, [
      { type: 'replace-arguments', part, values: [{ at: ['content'], text: 'cleared' }] },
    ]);
    expect(editObject(message, edits)).toMatchObject({
      content: [{ input: { content: 'cleared' }, providerOptions: { openai: { x: 1 } } }],
    });
    expect(
      (editObject(message, edits) as typeof message).content[0]?.providerOptions.openai,
    ).not.toHaveProperty('itemId');
  });
});

describe('aiSdkCodec.compose', () => {
  it('hands over all results in one tool message and marks what the engine wrote', () => {
    const { messages } = codec.compose({
      role: 'tool',
      kind: 'interrupted',
      parts: [
        { type: 'result', callId: 'a', name: 'x', content: [{ type: 'text', text: 'y' }], isError: true },
        {
          type: 'result',
          callId: 'b',
          name: 'x',
          content: [{ type: 'media', mediaType: 'image/png', source: { type: 'base64', data: 'AAAA' } }],
          isError: false,
        },
      ],
    });
    expect(messages).toEqual([
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'x', output: { type: 'error-text', value: 'y' } },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'x',
            output: {
              type: 'content',
              value: [{ type: 'image-data', data: 'AAAA', mediaType: 'image/png' }],
            },
          },
        ],
        providerOptions: { throughline: { kind: 'interrupted' } },
      },
    ]);
  });

  it('turns raw bytes into base64 for other formats', () => {
    const entry = codec.decode(
      { role: 'user', content: [{ type: 'image', image: new Uint8Array([1, 2, 3, 4]) }] },
      0,
    );
    expect(codec.neutral(entry)).toEqual([
      { type: 'media', mediaType: 'image/*', source: { type: 'base64', data: 'AQIDBA==' } },
    ]);
  });
});
