import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, measure, planOf, result, user, viewOf } from '../../test/test-views.ts';
import {
  entitiesOf,
  entityKindOf,
  entityPatterns,
  futureUse,
  futureUseFigures,
  usesOf,
} from './future-use.ts';
import type { CallPart } from '@throughline/core/codec';
import type { Archive } from '../contenders/contender.ts';

function callPart(input: unknown): CallPart {
  return {
    type: 'call',
    at: [],
    callId: 'c' as CallPart['callId'],
    name: 'edit',
    input: { type: 'value', value: input, at: [] },
  };
}

function uses(input: unknown, texts: readonly string[]) {
  return usesOf([callPart(input)], { spots: texts, messageOf: [...texts.keys()] }, texts.length);
}

describe('usesOf', () => {
  it('counts an entity of the arguments once, and only when the history knows it', () => {
    const found = uses({ path: 'src/a.ts', note: 'src/a.ts and src/new.ts' }, ['read src/a.ts']);
    expect(found.map(({ entity }) => entity).toSorted()).toEqual(['a.ts', 'src/a.ts']);
  });

  it('calls a use far when the last mention lies more than 20 messages back', () => {
    const history = (distance: number): string[] => [
      'port 8080',
      ...Array.from({ length: distance - 1 }, () => 'word'),
    ];
    expect(uses({ port: 8_080 }, history(20))[0]?.isFar).toBe(false);
    expect(uses({ port: 8_080 }, history(21))[0]?.isFar).toBe(true);
  });

  it('takes the newest mention', () => {
    const history = ['port 8080', ...Array.from({ length: 40 }, () => 'word'), 'port 8080'];
    expect(uses({ port: 8_080 }, history)).toMatchObject([{ isFar: false, lastMention: 41 }]);
  });

  it('finds the same in a history that grows as in one it sees for the first time', () => {
    const words = fc.constantFrom('src/a.ts', 'userStore', 'port 8080', 'word');
    const input = { note: 'src/a.ts userStore 8080' };
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 60 }),
        fc.array(fc.nat(60), { maxLength: 8 }),
        (texts, lengths) => {
          const history = { spots: texts, messageOf: [...texts.keys()] };
          for (const length of lengths.map((one) => Math.min(one, texts.length))) {
            const found = usesOf([callPart(input)], history, length);
            expect(found).toEqual(usesOf([callPart(input)], { ...history }, length));
          }
        },
      ),
    );
  });

  it('tells where from what by the length of the argument', () => {
    const found = uses({ path: 'src/a.ts', content: `userStore ${'x '.repeat(200)}` }, [
      'src/a.ts userStore',
    ]);
    expect(found.find(({ entity }) => entity === 'src/a.ts')?.isLocator).toBe(true);
    expect(found.find(({ entity }) => entity === 'userStore')?.isLocator).toBe(false);
  });
});

describe('futureUse', () => {
  const history = [
    user('See userStore and src/a.ts.'),
    call('a', { q: 'x' }),
    result('a', 'port 8080'),
    call('b', { path: 'userStore', port: 8_080 }),
  ];
  const plan = planOf(history);
  const last = plan.steps[1];
  if (!last) throw new Error('Expected two steps.');
  const figures = async (messages: readonly unknown[], archive?: Archive) =>
    futureUseFigures(
      await measure(futureUse, plan, [viewOf(plan, last, messages, archive ? { archive } : {})]),
    );

  it('finds everything in the whole history', async () => {
    expect(await figures(history.slice(0, 3))).toMatchObject({ uses: 2, farUses: 0, macroRecall: 1 });
  });

  it('counts a use as missed when no message names it', async () => {
    const { recall, macroRecall } = await figures([user('See userStore.')]);
    expect(recall.all).toMatchObject({ hit: 0.5, blanked: 0.5, recalled: 0.5 });
    expect(macroRecall).toBe(0.5);
  });

  it('does not count the index of a placeholder where it is blanked, nor the list behind a summary where it is bare', async () => {
    const pruned = '[cleared result m2.0, 40 tokens; recall "m2.0" returns it]\nuserStore';
    const { recall } = await figures([
      result('a', pruned),
      user('[Names and numbers from the archived messages.]\nm2: 8080'),
    ]);
    expect(recall.all).toMatchObject({ hit: 1, blanked: 0.5, bare: 0 });
  });

  it('counts what one recall by id returns, and its tokens', async () => {
    const archived: Readonly<Record<string, string>> = {
      m0: 'See userStore and src/a.ts.',
      m2: `${'word '.repeat(500)} port 8080`,
    };
    const archive: Archive = { recall: (recallId) => archived[recallId], restored: () => undefined };
    const named = await figures([user('[Record of messages m1 to m2] m0: files')], archive);
    expect(named.recall.all).toMatchObject({ hit: 0, named: 0.5, recalled: 0.5, reachable: 1 });
    expect(named).toMatchObject({ recalls: 2, recallTokens: (27 + 2_000) / 2 });
  });

  it('takes no recall id from a message of the history', async () => {
    const archive: Archive = { recall: () => 'userStore 8080', restored: () => undefined };
    const said = user('m0 is a name here.');
    const other = planOf([said, ...history]);
    const view = viewOf(other, other.steps[1] ?? last, [said], { archive });
    expect(futureUseFigures(await measure(futureUse, other, [view])).recall.all.recalled).toBe(0);
  });
});

describe('entitiesOf', () => {
  it.each([
    ['path', 'open src/api/user-store.ts now', 'src/api/user-store.ts'],
    ['absolute path', 'in /home/app/main.go:12', '/home/app/main.go'],
    ['file name', 'see README.md.', 'README.md'],
    ['url', '(https://example.org/a?b=1).', 'https://example.org/a?b=1'],
    ['hash', 'commit 9fceb02d0a', '9fceb02d0a'],
    ['ticket', 'fixes ABC-1234,', 'ABC-1234'],
    ['camel case', 'call loadUserStore()', 'loadUserStore'],
    ['Pascal case', 'class UserStore {', 'UserStore'],
    ['snake case', 'the user_store table', 'user_store'],
    ['number', 'port 8080', '8080'],
  ])('finds a %s', (_kind, text, entity) => {
    expect([...entitiesOf(text)]).toContain(entity);
  });

  it('takes no member of an object for a file', () => {
    expect([...entitiesOf('logs.map(one => console.log(one.message, process.env))')]).toEqual([]);
  });

  it('finds nothing in plain words and small numbers', () => {
    expect([...entitiesOf('The two tests pass in 12 seconds, I think. Done')]).toEqual([]);
  });

  it('ends on long runs of one kind', () => {
    for (const run of ['a', 'aB', 'a_', '1', 'a/', 'a.', '-', 'f0'])
      for (const { pattern } of entityPatterns)
        expect(run.repeat(100_000).match(pattern)?.length ?? 0).toBeLessThan(100_000);
  });

  it('names the kind of an entity', () => {
    expect(['src/a.ts', 'a.ts', 'loadUser', '8080', 'and so on'].map(entityKindOf)).toEqual([
      'path',
      'file-name',
      'camel',
      'number',
      'other',
    ]);
  });
});
