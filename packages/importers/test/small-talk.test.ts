import { expect, it } from 'vitest';
import { ownsSmallTalkLine, readSmallTalk } from './small-talk.ts';
import type { LinesDocument } from '../src/index.ts';

const values = [
  { who: 'me', said: 'What is in notes.txt?' },
  {
    who: 'bot',
    said: 'I look.',
    tool: { name: 'read', input: { path: 'notes.txt' }, output: 'buy milk' },
  },
  { who: 'clock', said: 'Noon.' },
  { who: 'bot', said: 'It says: buy milk.' },
];

const document: LinesDocument = {
  type: 'lines',
  lines: values.map((value, index) => ({ number: index + 1, text: JSON.stringify(value), value })),
  lineEnd: '\n',
  finalEnd: '\n',
};

it('the importer of the guide reads the log of the guide, and says what it does not know', () => {
  expect(values.every(ownsSmallTalkLine)).toBe(true);
  const { sessions, notes } = readSmallTalk(document);
  const [session] = sessions;
  const parts = session?.messages.flatMap((message, index) => session.codec.decode(message, index).parts);
  expect(parts?.map(({ type }) => type)).toEqual(['text', 'text', 'call', 'result', 'text']);
  expect(notes).toEqual([{ line: 3, note: 'a line of type clock is not read' }]);
});
