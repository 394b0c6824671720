import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readDecisions } from './read-decisions.ts';
import type { ReviewFault } from './read-decisions.ts';

type Finish = Parameters<typeof readDecisions>[0]['finish'];

const read = (text: string, finish: Finish = 'stop', count = 3): ReturnType<typeof readDecisions> =>
  readDecisions({ type: 'text', text, finish }, count);

const list = '[{"index": 1, "action": "drop"}, {"index": 3, "action": "replace", "text": "It passed."}]';
const decisions = [
  { index: 1, action: 'drop' },
  { index: 3, action: 'replace', text: 'It passed.' },
];

describe('readDecisions', () => {
  it.each([
    ['the array alone', list],
    ['white space around it', `\n\n ${list}\t\n`],
    ['a fence', `\`\`\`json\n${list}\n\`\`\``],
    ['prose around it', `Sure! Here you are:\n${list}\nThat saves about half [1].`],
    ['prose and a fence', `Sure:\n\`\`\`\n${list}\n\`\`\`\nDone.`],
    ['an object around it', `{"decisions": ${list}}`],
    ['thinking in front of it', `<think>or [{"index": 2, "action": "drop"}]?</think>\n${list}`],
    ['line breaks in it', JSON.stringify(decisions, null, 2)],
    ['members nobody asked for', list.replaceAll('"action"', '"why": "[{", "action"')],
    ['members with names of prototypes', list.replaceAll('"action"', '"__proto__": {"x": 1}, "action"')],
  ])('reads %s', (_, text) => {
    expect(read(text)).toEqual({ ok: true, decisions });
  });

  it.each(['[]', '```json\n[]\n```', ' [ ] '])('takes %j for keeping everything', (text) => {
    expect(read(text)).toEqual({ ok: true, decisions: [] });
  });

  it.each<[string, ReviewFault, string, Finish?]>([
    ['an empty answer', 'empty', ' \n'],
    ['nothing but thinking', 'empty', '<think>hm</think>'],
    ['prose', 'no-array', 'I would drop the first two.'],
    ['prose with brackets', 'no-array', 'Drop [1] and [2].'],
    ['an object', 'no-array', '{"index": 1, "verdict": "drop"}'],
    ['a list of numbers', 'no-array', '[1, 2]'],
    ['an answer that was cut off', 'cut-off', list, 'length'],
    ['one that was cut off without saying so', 'not-json', list.slice(0, -10)],
    ['one that was cut off in a text', 'not-json', list.slice(0, -6)],
    ['a refusal', 'refusal', list, 'refusal'],
    ['a refusal in prose', 'refusal', "I'm sorry, but I can't decide that."],
    ['a tool call', 'tool-call', list, 'tool-calls'],
    ['a tool call in prose', 'tool-call', `<tool_call>{"name":"prune","arguments":${list}}</tool_call>`],
    ['two lists', 'several-arrays', `${list}\n${list}`],
    ['a comma too many', 'not-json', '[{"index": 1, "action": "drop"},]'],
    ['comments', 'not-json', '[{"index": 1, "action": "drop"} // old\n]'],
    ['single quotes', 'no-array', "[\u0027{'index': 1}\u0027]"],
    ['an element that is none', 'no-decision', '[{"index": 1, "action": "drop"}, null]'],
    ['a list in the list', 'no-decision', '[{"index": 1, "action": "drop"}, [2]]'],
    ['an element without an index', 'no-decision', '[{"action": "drop"}]'],
    ['an index in words', 'no-decision', '[{"index": "1", "action": "drop"}]'],
    ['an element without an action', 'no-decision', '[{"index": 1}]'],
    ['an unknown action', 'unknown-action', '[{"index": 1, "action": "delete"}]'],
    ['an action in capitals', 'unknown-action', '[{"index": 1, "action": "DROP"}]'],
    ['an index nobody asked about', 'unknown-index', '[{"index": 4, "action": "drop"}]'],
    ['index 0', 'unknown-index', '[{"index": 0, "action": "keep"}]'],
    ['a negative index', 'unknown-index', '[{"index": -1, "action": "keep"}]'],
    ['half an index', 'unknown-index', '[{"index": 1.5, "action": "drop"}]'],
    ['an infinite index', 'unknown-index', '[{"index": 1e999, "action": "drop"}]'],
    ['an index twice', 'repeated-index', '[{"index": 1, "action": "drop"}, {"index": 1, "action": "keep"}]'],
    ['a replacement without a text', 'no-text', '[{"index": 1, "action": "replace"}]'],
    ['a replacement that is no text', 'no-text', '[{"index": 1, "action": "replace", "text": 7}]'],
    ['an endless answer', 'too-long', '[{"index": 1, "action": "drop"}]'.repeat(20_000)],
    ['endless nesting', 'not-json', '[{"index": '.repeat(20_000)],
    ['brackets without end', 'not-json', '[{'.repeat(100_000)],
  ])('refuses %s: %s', (_, fault, text, finish) => {
    expect(read(text, finish)).toEqual({ ok: false, fault });
  });

  it('never throws, and decides at most once on each of those it was asked about', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .array(
          fc.record(
            {
              index: fc.oneof(fc.integer({ min: -1, max: 6 }), fc.double(), fc.string()),
              action: fc.oneof(fc.constantFrom('keep', 'drop', 'replace'), fc.string()),
              text: fc.oneof(fc.string(), fc.integer()),
            },
            { requiredKeys: ['index'] },
          ),
        )
        .map((one) => JSON.stringify(one)),
    );
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 5 }), (text, count) => {
        const answer = read(text, 'stop', count);
        if (!answer.ok) return;
        const indexes = answer.decisions.map(({ index }) => index);
        expect(new Set(indexes).size).toBe(indexes.length);
        for (const index of indexes) {
          expect(Number.isInteger(index) && index >= 1 && index <= count).toBe(true);
        }
      }),
    );
  });
});
