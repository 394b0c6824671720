import { expect, it } from 'vitest';
import { KeptContexts } from './kept-contexts.ts';
import type { ContextHolder } from './kept-contexts.ts';

interface Session extends ContextHolder {
  isBusy: boolean;
  size: number;
  isForgotten: boolean;
}

function newSession(size = 1): Session {
  return {
    size,
    isBusy: false,
    isForgotten: false,
    forget() {
      this.isForgotten = true;
    },
  };
}

function forgotten(sessions: readonly Session[]): readonly boolean[] {
  return sessions.map(({ isForgotten }) => isForgotten);
}

it('forgets the one used longest ago when there are too many', () => {
  const kept = new KeptContexts({ sessions: 2, size: 100 });
  const [first, second, third] = [newSession(), newSession(), newSession()];
  for (const session of [first, second, first, third]) kept.use(session);
  expect(forgotten([first, second, third])).toEqual([false, true, false]);
});

it('leaves a busy one alone, and forgets it once it is not', () => {
  const kept = new KeptContexts({ sessions: 1, size: 100 });
  const [first, second, third] = [newSession(), newSession(), newSession()];
  first.isBusy = true;
  kept.use(first);
  kept.use(second);
  expect(forgotten([first, second])).toEqual([false, false]);
  first.isBusy = false;
  kept.use(third);
  expect(forgotten([first, second, third])).toEqual([true, true, false]);
});

it('does not count one that was dropped', () => {
  const kept = new KeptContexts({ sessions: 1, size: 100 });
  const [first, second] = [newSession(), newSession()];
  kept.use(first);
  kept.drop(first);
  kept.use(second);
  expect(forgotten([first, second])).toEqual([false, false]);
});

it('forgets those used longest ago when all together are too large, however few they are', () => {
  const kept = new KeptContexts({ sessions: 64, size: 100 });
  const [first, second, third, fourth] = [newSession(40), newSession(40), newSession(20), newSession(30)];
  for (const session of [first, second, third, fourth]) kept.use(session);
  expect(forgotten([first, second, third, fourth])).toEqual([true, false, false, false]);
});

it('keeps the one used last, however large it is, until another is used', () => {
  const kept = new KeptContexts({ sessions: 64, size: 100 });
  const [small, large, other] = [newSession(1), newSession(1_000), newSession(1)];
  kept.use(small);
  kept.use(large);
  expect(forgotten([small, large])).toEqual([true, false]);
  kept.use(other);
  expect(forgotten([large, other])).toEqual([true, false]);
});

it('finds out that one has grown when it is used', () => {
  const kept = new KeptContexts({ sessions: 64, size: 100 });
  const [first, second] = [newSession(10), newSession(10)];
  kept.use(first);
  kept.use(second);
  second.size = 95;
  kept.use(second);
  expect(forgotten([first, second])).toEqual([true, false]);
});
