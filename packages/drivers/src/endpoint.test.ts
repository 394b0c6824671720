import { describe, expect, it } from 'vitest';
import { secretsOf } from './endpoint.ts';
import {
  createAiSdkDriver,
  createAnthropicDriver,
  createDemoDriver,
  createOpenaiChatDriver,
  createOpenaiResponsesDriver,
  createSummariser,
} from './index.ts';

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

const refusalOf = (option: string): unknown =>
  expect.objectContaining({ code: 'invalid-option', details: expect.objectContaining({ option }) });

describe('createAiSdkDriver', () => {
  const languageModel = { modelId: 'm', provider: 'p', doStream: () => {} };

  it.each([
    ['options', null],
    ['languageModel', {}],
    ['languageModel', { languageModel: '' }],
    ['languageModel', { languageModel: { modelId: 'm' } }],
    ['languageModel', { languageModel: () => languageModel }],
    ['model', { model: languageModel }],
    ['apikey', { languageModel, apikey: 'k' }],
    ['apiKey', { languageModel, apiKey: 7 }],
    ['provider', { languageModel, provider: {} }],
  ])('refuses %s by its name', (option, options) => {
    expect(() => createAiSdkDriver(options as never)).toThrow(refusalOf(option) as Error);
  });

  it('takes a model and the name of one', () => {
    expect(createAiSdkDriver({ languageModel: languageModel as never }).name).toBe('p:m');
    expect(createAiSdkDriver({ languageModel: 'vendor/m' }).name).toBe('gateway:vendor/m');
  });
});

describe('createSummariser', () => {
  const driver = createDemoDriver({ timer: {} as never });

  it.each([
    ['driver', undefined, {}],
    ['driver', 'gpt', {}],
    ['driver', { name: 'n', stream: () => {} }, {}],
    ['driver', { ...driver, stream: undefined }, {}],
    ['options', driver, null],
    ['sesion', driver, { sesion: {} }],
    ['session', driver, { session: 'hello' }],
    ['session.tool', driver, { session: { tool: [] } }],
    ['session.tools', driver, { session: { tools: {} } }],
  ])('refuses %s by its name', (option, made, options) => {
    expect(() => createSummariser(made as never, options as never)).toThrow(refusalOf(option) as Error);
  });
});

it('knows the key, and what headers hold, the longest first', () => {
  const headers = { authorization: 'Bearer abcdefgh1', cookie: 'session=0123456789', 'x-team': 'blue' };
  expect(secretsOf({ apiKey: 'sk', headers })).toEqual([
    'session=0123456789',
    'Bearer abcdefgh1',
    '0123456789',
    'abcdefgh1',
    'sk',
  ]);
  expect(secretsOf({})).toEqual([]);
});
