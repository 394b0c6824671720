import { describe, expect, it } from 'vitest';
import { chosenPoints } from './user-answers.ts';

const message = [
  'Which of these?',
  '1. Keep the cache',
  '2. Delete the cache',
  '3. Ask the team',
  '',
  'a) alpha build',
  'b) beta build',
  '18. Delete production',
].join('\n');

const named = (answer: string): string[] =>
  chosenPoints(message, answer).map((point) => point.split('.')[0] ?? '');

describe('chosenPoints', () => {
  it.each([
    ['2', ['2']],
    ['2 keep the rest as it is', ['2']],
    ['do 1+2 next', ['1', '2']],
    ['on 3: I guess we must', ['3']],
    ['Okay, I approve #1', ['1']],
    ['Can you do 1, 2 and 3?', ['1', '2', '3']],
    ['option b', ['b']],
  ])('tells the points that "%s" names', (answer, points) => {
    expect(named(answer)).toEqual(points);
  });

  it.each([
    'I have 3 apples',
    'We use node 18 and 2 servers',
    'Wait for 2 minutes',
    'Give me 2 more options',
    'It takes 1.5 s, at 2:30',
  ])('takes no number that counts or measures something for one: "%s"', (answer) => {
    expect(named(answer)).toEqual([]);
  });
});
