import { expect, it } from 'vitest';
import { shareOpened } from './share-opened.ts';

interface Thing extends AsyncDisposable {
  readonly key: string;
}

function sharing(): {
  readonly log: string[];
  readonly shared: ReturnType<typeof shareOpened<string, Thing>>;
} {
  const log: string[] = [];
  const shared = shareOpened((key: string): Promise<Thing> => {
    log.push(`open ${key}`);
    if (key === 'bad') return Promise.reject(new Error('It cannot be opened.'));
    return Promise.resolve({
      key,
      [Symbol.asyncDispose]: () => (log.push(`close ${key}`), Promise.resolve()),
    });
  });
  return { log, shared };
}

it('what is asked for twice is opened once, and closed when both have given it back', async () => {
  const { log, shared } = sharing();
  const [one, two] = await Promise.all([shared.take('a'), shared.take('a')]);
  expect(one.value).toBe(two.value);
  await one.giveBack();
  await one.giveBack();
  expect(log).toEqual(['open a']);
  await two.giveBack();
  expect(log).toEqual(['open a', 'close a']);
  await shared.take('a');
  expect(log).toEqual(['open a', 'close a', 'open a']);
});

it('what could not be opened is tried again', async () => {
  const { log, shared } = sharing();
  await expect(shared.take('bad')).rejects.toThrow('cannot be opened');
  await expect(shared.take('bad')).rejects.toThrow('cannot be opened');
  expect(log).toEqual(['open bad', 'open bad']);
});

it('what is still out at the end is closed', async () => {
  const { log, shared } = sharing();
  await shared.take('a');
  await shared[Symbol.asyncDispose]();
  expect(log).toEqual(['open a', 'close a']);
});
