import { describe, expect, it } from 'vitest';
import { parseBaseUrl, parsePins, parseSeconds, parseTokens } from './parse-options.ts';

describe('parseTokens', () => {
  it.each([
    ['64000', 64_000],
    ['64,000', 64_000],
    ['64_000', 64_000],
    ['64k', 64_000],
    ['1.5M', 1_500_000],
  ])('reads %s', (text, tokens) => {
    expect(parseTokens(text)).toBe(tokens);
  });

  it.each(['', '0', '-5', 'many', '64kb', '1e9', 'Infinity', '999999m'])('refuses "%s"', (text) => {
    expect(() => parseTokens(text)).toThrow('Expected a number of tokens');
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

  it.each(['', 'localhost', 'ftp://x', 'http://user:secret@host/v1'])('refuse the address "%s"', (text) => {
    expect(() => parseBaseUrl(text)).toThrow('Expected an http');
  });
});
