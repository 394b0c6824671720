import { expect, it } from 'vitest';
import { KeptContexts } from './kept-contexts.ts';
import type { ContextHolder } from './kept-contexts.ts';

interface Session extends ContextHolder {
  isBusy: boolean;
  isForgotten: boolean;
}

function newSession(): Session {
  return {
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
  const kept = new KeptContexts(2);
  const [first, second, third] = [newSession(), newSession(), newSession()];
  for (const session of [first, second, first, third]) kept.use(session);
  expect(forgotten([first, second, third])).toEqual([false, true, false]);
});

it('leaves a busy one alone, and forgets it once it is not', () => {
  const kept = new KeptContexts(1);
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
  const kept = new KeptContexts(1);
  const [first, second] = [newSession(), newSession()];
  kept.use(first);
  kept.drop(first);
  kept.use(second);
  expect(forgotten([first, second])).toEqual([false, false]);
});
