import { createAnthropicDriver, createOpenaiChatDriver, createOpenaiResponsesDriver } from './index.ts';
import { describe, expect, it } from 'vitest';

const address = 'http://localhost:1234/v1';
const makers: readonly (readonly [name: string, make: (options: never) => unknown])[] = [
  ['createOpenaiChatDriver', createOpenaiChatDriver],
  ['createOpenaiResponsesDriver', createOpenaiResponsesDriver],
  ['createAnthropicDriver', createAnthropicDriver],
];

describe.each(makers)('%s', (_, make) => {
  it.each([
    ['baseURL', { model: 'm', baseURL: address }],
    ['model', { baseUrl: address }],
    ['baseUrl', { model: 'm', baseUrl: 'localhost:1234' }],
    ['apiKey', { model: 'm', baseUrl: address, apiKey: 7 }],
    ['timeout', { model: 'm', baseUrl: address, timeout: 7 }],
  ])('refuses %s by its name, before anything is sent anywhere', (option, options) => {
    expect(() => make(options as never)).toThrow(
      expect.objectContaining({ code: 'invalid-option', details: expect.objectContaining({ option }) }),
    );
  });
});

it('guesses no address', () => {
  expect(() => createOpenaiChatDriver({ model: 'm', apiKey: 'k' } as never)).toThrow(/baseUrl/);
  expect(createAnthropicDriver({ model: 'm' }).name).toBe('anthropic:m');
});
