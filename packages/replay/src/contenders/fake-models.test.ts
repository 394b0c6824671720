import { describe, expect, it } from 'vitest';
import { createFakeSummariser, fakeDecisions } from './fake-models.ts';

const words = (text: string): number => text.split(/\s+/).length;

describe('createFakeSummariser', () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index} speaks of module${index % 50}.ts`);

  it('says only what it was given, at most 1 000 tokens of it, in order', () => {
    const answer = createFakeSummariser(words).ask('Summarise.', lines.join('\n')).split('\n');
    expect(words(answer.join('\n'))).toBeLessThanOrEqual(1_000);
    expect(words(answer.join('\n'))).toBeGreaterThan(800);
    expect(answer.every((line) => lines.includes(line))).toBe(true);
    expect(answer).toEqual(answer.toSorted((a, b) => lines.indexOf(a) - lines.indexOf(b)));
    expect([answer[0], answer.at(-1)]).toEqual([lines[0], lines.at(-1)]);
  });

  it('keeps within a smaller limit, and writes the heading it is asked for', () => {
    const answer = createFakeSummariser(words).ask(
      'Use these headings:\n## Goal\n## Done',
      lines.join('\n'),
      100,
    );
    expect(answer.startsWith('## Goal\n')).toBe(true);
    expect(words(answer)).toBeLessThanOrEqual(100);
  });

  it('gives short texts back, and the same answer twice', () => {
    const summariser = createFakeSummariser(words);
    expect(summariser.ask('', 'One.\nTwo.')).toBe('One.\nTwo.');
    expect(summariser.ask('', lines.join('\n'))).toBe(summariser.ask('', lines.join('\n')));
  });

  it('hands over its calls once', () => {
    const summariser = createFakeSummariser(words);
    summariser.ask('Do.', 'One.');
    expect(summariser.takeCalls()).toEqual([{ instructions: 'Do.', conversation: 'One.', answer: 'One.' }]);
    expect(summariser.takeCalls()).toEqual([]);
  });
});

describe('fakeDecisions', () => {
  it('drops results from the oldest on until half of the tokens are gone', () => {
    const prompt = [
      '<message index="1" role="user" tokens="100">\nhello\n</message>',
      '<message index="2" role="tool" tool="read" tokens="200">\nx\n</message>',
      '<message index="3" role="tool" tool="read" tokens="100">\nx\n</message>',
      '<message index="4" role="tool" tool="read" tokens="200">\nx\n</message>',
    ].join('\n');
    expect(JSON.parse(fakeDecisions(prompt))).toEqual([
      { index: 2, action: 'drop' },
      { index: 3, action: 'drop' },
    ]);
  });
});
