import { describe, expect, it } from 'vitest';
import { messagePattern, numbersOf } from './message-pattern.ts';

function read(pattern: string, text: string): unknown {
  const match = messagePattern(pattern).exec(text);
  return match && numbersOf(match);
}

describe('messagePattern', () => {
  it('reads numbers where the message has them, with or without commas', () => {
    expect(read('prompt {prompt} > {limit} maximum', 'The PROMPT 1,208,310 >  200000\nmaximum.')).toEqual({
      prompt: 1_208_310,
      limit: 200_000,
    });
  });

  it('takes everything else by the letter', () => {
    expect(read('[1, {limit}] (a.b)?', '[1, 30] (a.b)?')).toEqual({ limit: 30 });
    expect(read('a.b', 'axb')).toBeNull();
  });

  it('leaves a bounded gap', () => {
    expect(read('from {any} to {limit}', `from ${'x'.repeat(150)} to 5`)).toEqual({ limit: 5 });
    expect(read('from {any} to {limit}', `from ${'x'.repeat(250)} to 5`)).toBeNull();
  });
});
