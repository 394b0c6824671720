import { dialects } from '../wire/dialect.ts';
import { expect, it } from 'vitest';
import { titleOf } from './conversation-texts.ts';
import type { ClientRequest } from '../wire/client-request.ts';

const said = (messages: readonly unknown[]): ClientRequest =>
  ({ dialect: dialects.messages, messages }) as unknown as ClientRequest;
const text = (words: string) => ({ type: 'text', text: words });
const reminder = text('<system-reminder>\nBe brief.\n</system-reminder>');

it('calls a conversation by the user’s words, not by what the client puts in front of them', () => {
  const asked = [{ role: 'user', content: [reminder, text('  Mend the\nparser. ')] }];
  expect(titleOf(said(asked))).toBe('Mend the parser.');
  const context = { role: 'user', content: '<environment_context>here</environment_context>' };
  expect(titleOf(said([context, { role: 'user', content: 'Go on.' }]))).toBe('Go on.');
  const name = '<command-message>review</command-message>\n<command-name>/review</command-name>';
  const command = { role: 'user', content: `${name}\n<command-args>12</command-args>` };
  expect(titleOf(said([command]))).toBe('/review 12');
});

it('takes what the client has put where there is nothing else, in 80 characters', () => {
  expect(titleOf(said([{ role: 'user', content: [reminder] }]))).toBe(
    '<system-reminder> Be brief. </system-reminder>',
  );
  expect(Array.from(titleOf(said([{ role: 'user', content: 'é'.repeat(100) }])))).toHaveLength(80);
  expect(titleOf(said([]))).toBe('');
});
