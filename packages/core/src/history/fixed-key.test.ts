import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf } from '../../test/chat-history.ts';
import { appendMessages, openTranscript } from './transcript.ts';
import { emptyState } from '../pass/state.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { prepare } from '../context/prepare.ts';
import type { Transcript } from './transcript.ts';

const policy = policyOf(16_000);

const opened = (
  messages: readonly unknown[],
  outside: { system?: string; tools?: unknown[] } = {},
): Transcript =>
  openTranscript(
    { codec: openaiChatCodec, system: 'Be brief.', tools: [{ name: 'read' }], ...outside },
    messages,
  );

describe('the guard of the prefix', () => {
  it('is silent while a session goes on, over compactions too', () => {
    let transcript = opened(agentRun(5));
    let state = emptyState();
    for (let index = 10; index < 200; index += 1) {
      transcript = appendMessages(transcript, exchange(index));
      const { report, ...step } = prepare(transcript, state, policy) as Extract<
        ReturnType<typeof prepare>,
        { type: 'ready' }
      >;
      expect(report.hasPrefixChanged).toBe(false);
      state = step.state;
    }
    expect(state.head).not.toBeNull();
  });

  it.each([
    ['the system text', opened(agentRun(5), { system: 'Be brief. Today is Monday.' })],
    ['a tool', opened(agentRun(5), { tools: [{ name: 'read' }, { name: 'write' }] })],
    [
      'a leading system message',
      opened([{ role: 'system', content: 'Other rules.' }, ...agentRun(5).slice(1)]),
    ],
  ])('warns once when %s is another one', (_name, changed) => {
    const first = prepare(opened(agentRun(5)), emptyState(), policy);
    const second = prepare(changed, first.type === 'ready' ? first.state : emptyState(), policy);
    if (second.type !== 'ready') throw new Error('expected a ready step');
    expect(second.report.hasPrefixChanged).toBe(true);
    expect(second.report.warnings.join()).toContain('cache of the prefix is lost');
    const third = prepare(changed, second.state, policy);
    expect(third.type === 'ready' && third.report.hasPrefixChanged).toBe(false);
  });
});
