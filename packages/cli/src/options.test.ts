import { describe, expect, it } from 'vitest';
import { parseBaseUrl, parsePins, parseSeconds, parseTarget, parseTokens } from './options.ts';

describe('parseTokens', () => {
  it.each([
    ['64000', 64_000],
    ['64,000', 64_000],
    ['64_000', 64_000],
    ['64k', 64_000],
    ['1.5M', 1_500_000],
    ['1.1k', 1_100],
    ['16.385k', 16_385],
    ['100m', 100_000_000],
  ])('reads %s', (text, tokens) => {
    expect(parseTokens(text)).toBe(tokens);
  });

  it.each([
    '',
    '0',
    '-5',
    'many',
    '64kb',
    '1e9',
    '0x10',
    'Infinity',
    '999999m',
    '100000001',
    '0.5',
    '1.5',
    '1.0005k',
    '1,5m',
    '6,4',
  ])('refuses "%s"', (text) => {
    expect(() => parseTokens(text)).toThrow('Expected a number of tokens');
  });
});

describe('parseTarget', () => {
  const parse = parseTarget(['openai-chat', 'anthropic']);

  it('reads a format by its name, and openai for openai-chat', () => {
    expect([parse('anthropic'), parse('openai-chat'), parse('openai')]).toEqual([
      'anthropic',
      'openai-chat',
      'openai-chat',
    ]);
  });

  it.each(['', 'gemini', 'toString'])('refuses "%s"', (text) => {
    expect(() => parse(text)).toThrow('Expected one of openai-chat, anthropic.');
  });
});

describe('parsePins', () => {
  it('reads recall ids of messages and of their parts', () => {
    expect(parsePins('m12, m40.2')).toEqual([12, 40]);
  });

  it.each(['', '12', 'm1,,m2', 'mx'])('refuses "%s"', (text) => {
    expect(() => parsePins(text)).toThrow('Expected recall ids');
  });
});

describe('other options', () => {
  it('take seconds and addresses', () => {
    expect(parseSeconds('1.5')).toBe(1_500);
    expect(parseBaseUrl('http://localhost:1234/v1')).toBe('http://localhost:1234/v1');
  });

  it.each(['', '0', '-1', '1e3', '0x10', 'soon', '86401', 'Infinity', '0.0001'])(
    'refuse the time "%s"',
    (text) => {
      expect(() => parseSeconds(text)).toThrow('Expected a number of seconds');
    },
  );

  it.each(['', 'localhost', 'ftp://x', 'http://user:secret@host/v1'])('refuse the address "%s"', (text) => {
    expect(() => parseBaseUrl(text)).toThrow('Expected an http');
  });
});
