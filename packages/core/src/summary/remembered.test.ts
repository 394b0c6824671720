import { describe, expect, it } from 'vitest';
import { remembered } from './remembered.ts';

describe('remembered', () => {
  it('asks once for a text that recurs, whatever the answer is', () => {
    const asked: string[] = [];
    const work = remembered((text) => {
      asked.push(text);
      return text === 'none' ? undefined : text.length;
    });
    expect([work('read'), work('none'), work('read'), work('none')]).toEqual([4, undefined, 4, undefined]);
    expect(asked).toEqual(['read', 'none']);
  });

  it('keeps no long text, and answers right however many texts there are', () => {
    let asked = 0;
    const work = remembered((text) => {
      asked += 1;
      return text;
    });
    const long = 'x'.repeat(10_000);
    expect([work(long), work(long), asked]).toEqual([long, long, 2]);
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < 2_000; index += 1) expect(work(`tool${index}`)).toBe(`tool${index}`);
    }
  });
});
