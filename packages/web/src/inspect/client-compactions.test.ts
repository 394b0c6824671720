import { anthropicCodec, openaiChatCodec, openaiResponsesCodec, openTranscript } from '@throughline/core';
import { clientCompactions, isSummaryOfPi } from './client-compactions.ts';
import { expect, it } from 'vitest';
import type { Codec } from '@throughline/core';
import type { Inspected } from './inspected.ts';

function found(codec: Codec, messages: readonly unknown[]): readonly (readonly [number, string])[] {
  const inspected = { transcript: openTranscript({ codec }, messages) } as Inspected;
  return clientCompactions(inspected).map(({ ordinal, by }) => [ordinal, by]);
}

const user = (content: unknown) => ({ role: 'user', content });
const claude = 'This session is being continued from a previous conversation that ran out of context.';
const codex = 'Another language model started to solve this problem and produced a summary of it.';
const pi =
  'The conversation history before this point was compacted into the following summary:\n\n<summary>…';

it('finds the summaries that clients begin a history anew with, and whose they are', () => {
  expect(found(anthropicCodec, [user([{ type: 'text', text: claude }]), user('Go on.')])).toEqual([
    [0, 'Claude Code'],
  ]);
  expect(found(openaiResponsesCodec, [user('Go.'), user(codex)])).toEqual([[1, 'Codex']]);
  expect(found(openaiChatCodec, [user(pi)])).toEqual([[0, 'pi']]);
  expect(found(openaiChatCodec, [user('<state_snapshot>…</state_snapshot>')])).toEqual([[0, 'Gemini CLI']]);
  const asked = [user('What did we do so far?'), { role: 'assistant', content: 'Much.' }, user('Go on.')];
  expect(found(openaiChatCodec, asked)).toEqual([[1, 'OpenCode']]);
});

it('finds the summary of a recording of pi, which pi has not written as it is sent', () => {
  const summary = { role: 'compactionSummary', summary: 'We moved the files.' };
  const opened = (wire: unknown) =>
    [{ ...anthropicCodec.decode(user('We moved the files.'), 0), wire }] as const;
  expect(opened(summary).map(isSummaryOfPi)).toEqual([true]);
  expect(opened(user('compactionSummary')).map(isSummaryOfPi)).toEqual([false]);
});

it('finds what only a provider can read', () => {
  const item = { type: 'compaction', encrypted_content: 'gAAAA' };
  expect(found(openaiResponsesCodec, [item, user('Go on.')])).toEqual([[0, 'the provider']]);
});

it('takes nobody’s words for a summary because they quote one', () => {
  const result = { role: 'tool', tool_call_id: 'c', content: claude };
  const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } };
  const said = [
    user(`Why does it say “${claude}”?`),
    { role: 'assistant', content: null, tool_calls: [call] },
    result,
    { role: 'assistant', content: claude },
  ];
  expect(found(openaiChatCodec, said)).toEqual([]);
});
