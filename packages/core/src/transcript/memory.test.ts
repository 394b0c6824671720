import { describe, expect, it } from 'vitest';
import { createMemory, remembered } from './memory.ts';

describe('remembered', () => {
  it('computes once for each object, and not for its copy', () => {
    const asked: object[] = [];
    const size = remembered((list: readonly number[]) => {
      asked.push(list);
      return list.length;
    });
    const list = [1, 2];
    expect([size(list), size(list), size([...list])]).toEqual([2, 2, 2]);
    expect(asked).toHaveLength(2);
  });

  it('forgets what threw: the next caller is told, too', () => {
    let calls = 0;
    const checked = remembered((_value: object): true => {
      calls += 1;
      throw new Error('not sound');
    });
    const value = {};
    expect(() => checked(value)).toThrow('not sound');
    expect(() => checked(value)).toThrow('not sound');
    expect(calls).toBe(2);
  });

  it('hands on what stands beside the object', () => {
    const joined = remembered((one: { text: string }, beside: string) => `${beside}${one.text}`);
    expect(joined({ text: 'b' }, 'a')).toBe('ab');
  });
});

describe('createMemory', () => {
  it('knows the newest of each object, and each memory its own', () => {
    const [first, second] = [createMemory<object, string>(), createMemory<object, string>()];
    const key = {};
    first.remember(key, 'old');
    first.remember(key, 'new');
    expect([first.recall(key), second.recall(key)]).toEqual(['new', undefined]);
  });
});
