import { completeText, scriptedDriver } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { openingOf, titleBy, titleByCode, titleOfEdit } from './title-of.ts';

const neverAborted = new AbortController().signal;

describe('a title by code', () => {
  it.each([
    ['Fix the login. It fails since Monday.', 'Fix the login'],
    ['What is wrong here? I do not know', 'What is wrong here?'],
    ['\n\n  ## Plan for *today*  \n- a', 'Plan for *today'],
    ['First: Do this.\n\nAlso: Do that.', 'Do this'],
    ['Version 2.5 is out', 'Version 2.5 is out'],
    ['ログインを直して。早く', 'ログインを直して。早く'],
    ['```\ncode here\n```', 'code here'],
    ['a\u0000b\u202ec', 'a b c'],
  ])('of %j is %j', (text, title) => {
    expect(titleByCode(text)).toBe(title);
  });

  it('is none where nothing was said in words', () => {
    for (const text of ['', '  \n ', '...', '---']) expect(titleByCode(text)).toBeUndefined();
  });

  it('has at most 60 characters, cut between words where there are some', () => {
    const long = titleByCode('one two three four five six seven eight nine ten eleven twelve thirteen') ?? '';
    expect(long).toBe('one two three four five six seven eight nine ten eleven…');
    expect([...(titleByCode('😀'.repeat(3) + 'x'.repeat(200)) ?? '')]).toHaveLength(60);
  });
});

describe('a title of a message in other words', () => {
  it.each([
    ['Fix the page.', 'Fix the login.', 'Fix the page'],
    ['Fix the login. It is wrong.', 'Fix the login. It is slow.', '… It is wrong'],
    ['Fix the login. Then the page.', 'Fix the login.', '… Then the page'],
    ['Fix this\nnow', 'Fix this\nsoon', '… now'],
    ['Fix the login.', 'Fix the login. It is slow.', undefined],
    ['...', 'Fix the login.', undefined],
  ])('of %j after %j is %j', (text, before, title) => {
    expect(titleOfEdit(text, before)).toBe(title);
  });
});

describe('a title by a model', () => {
  const opening = openingOf([
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Fix the login.' }] },
    { id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] },
  ]);

  it('is what it answers, in one short line', async () => {
    const driver = scriptedDriver(completeText('"Login repaired"\nand more'));
    expect(await titleBy(driver, opening, neverAborted)).toBe('Login repaired');
  });

  it('is one by code where the model fails, or says nothing', async () => {
    const failed = { type: 'failed', cause: 'unavailable', message: 'no' } as const;
    for (const answer of [failed, completeText('  ')])
      expect(await titleBy(scriptedDriver(answer), opening, neverAborted)).toBe('Fix the login');
    expect(await titleBy(undefined, opening, neverAborted)).toBe('Fix the login');
  });
});
