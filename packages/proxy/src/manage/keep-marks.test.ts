import { expect, it } from 'vitest';
import { keepMarks } from './keep-marks.ts';
import type { RenderedMessage } from '@throughline/core/types';

const text = (said: string, mark?: object): object => ({
  type: 'text',
  text: said,
  ...(mark && { cache_control: mark }),
});
const user = (...content: readonly object[]): object => ({ role: 'user', content });
const short = { type: 'ephemeral' };
const long = { type: 'ephemeral', ttl: '1h' };

/** What is sent where a text was written in place of the first `gone` messages. */
function sentFor(messages: readonly object[], gone: number, written: unknown): RenderedMessage<unknown>[] {
  return [
    { source: 'written', isEdited: true, message: written },
    ...messages.slice(gone).map((message, index): RenderedMessage<unknown> => ({
      source: 'entry',
      ordinal: gone + index,
      isEdited: false,
      message,
    })),
  ];
}

it('gives the newest mark of what is not sent, as it was, to what was written in its place', () => {
  const messages = [user(text('a', short)), user(text('b', short), text('c', long)), user(text('d', short))];
  for (const [written, content] of [
    ['So far.', [text('So far.', long)]],
    [
      [text('So'), text('far.')],
      [text('So'), text('far.', long)],
    ],
  ] as const) {
    const rendered = sentFor(messages, 2, { role: 'user', content: written });
    const [first, ...others] = keepMarks(rendered, messages);
    expect(first).toEqual({ source: 'written', isEdited: true, message: { role: 'user', content } });
    expect(others).toEqual(rendered.slice(1));
    // Nothing that was handed in has changed.
    expect(rendered[0]?.message).toEqual({ role: 'user', content: written });
  }
});

it('makes no mark where the client has lost none, or where there is nothing to carry it', () => {
  const unmarked = [user(text('a')), user(text('b')), user(text('c', short))];
  const summary = { role: 'user', content: 'So far.' };
  const kept = sentFor(unmarked, 2, summary);
  expect(keepMarks(kept, unmarked)).toBe(kept);
  const lost = [user(text('a', short)), user(text('b')), user(text('c', short))];
  for (const written of [
    { role: 'user', content: '' },
    { role: 'user', content: [] },
    user(text('')),
    user(text('So', long), text('far.')),
    null,
  ]) {
    const rendered = sentFor(lost, 2, written);
    expect(keepMarks(rendered, lost)).toBe(rendered);
  }
  const nothingWritten = sentFor(lost, 2, summary).slice(1);
  expect(keepMarks(nothingWritten, lost)).toBe(nothingWritten);
});
