import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { emptyState } from '../pass/state.ts';
import { isRangeChange } from '../changes/change.ts';
import { openTranscript } from '../history/transcript.ts';
import { policyOf, wordsOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { sessionCodec } from '../codecs/session/session-codec.ts';

function called(id: string): unknown {
  return {
    role: 'assistant',
    content: [{ type: 'tool_use', id, name: 'read', input: { path: `${id}.ts` } }],
  };
}

function returned(id: string, ...words: readonly string[]): unknown {
  const result = { type: 'tool_result', tool_use_id: id, content: `file ${id}\n`.repeat(60) };
  return { role: 'user', content: [result, ...words.map((text) => ({ type: 'text', text }))] };
}

describe('compact', () => {
  it('keeps the words of a latest request that goes with its results into the range', () => {
    const history = [
      { role: 'user', content: 'Fix the login.' },
      called('a'),
      returned('a', 'Leave the tests alone from now on.'),
      ...Array.from({ length: 40 }, (_, index) => [called(`b${index}`), returned(`b${index}`)]).flat(),
      { role: 'assistant', content: 'Done.' },
    ];
    const transcript = openTranscript({ codec: anthropicCodec }, history);
    const step = prepare(transcript, emptyState(), policyOf(12_000), { reason: 'manual' });
    if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
    const { summary } = step.changes.find(isRangeChange) ?? {};
    const words = wordsOf(summary).join('\n');
    expect(words).toContain('Leave the tests alone from now on.');
    expect(summary?.task).toBeUndefined();
  });

  it('tells the state as of the newest message: what stays in the view may have repaired what it compacts', () => {
    const ran = (id: string, command: string, said: string, isError = false): unknown[] => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'bash', input: { command } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, is_error: isError, content: said }] },
    ];
    const history = (last: readonly unknown[]): unknown[] => [
      { role: 'user', content: 'Fix the login.' },
      ...ran('c1', 'npm run lint', 'error: unused name', true),
      ...Array.from({ length: 40 }, (_, index) => [called(`b${index}`), returned(`b${index}`)]).flat(),
      ...last,
      { role: 'assistant', content: 'Done.' },
    ];
    const stateSaid = (last: readonly unknown[]): string => {
      const transcript = openTranscript({ codec: anthropicCodec }, history(last));
      const step = prepare(transcript, emptyState(), policyOf(12_000), { reason: 'manual' });
      if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
      const { text = '', anchor } = step.changes.find(isRangeChange) ?? {};
      expect(anchor?.end).toBeLessThan(83);
      return text.slice(text.indexOf('## State'));
    };
    expect(stateSaid([])).toMatch(/as of m83\)[^]*Failed[^]*m1 \$ npm run lint/);
    const repaired = stateSaid(ran('c2', 'npm run lint', 'no errors'));
    expect(repaired).toMatch(/as of m85\)[^]*passed when last run:\n {2}- m83 \(below\) \$ npm run lint/);
    expect(repaired).not.toContain('Failed');
  });

  it('takes a message that ends with the result of its call for no answer', () => {
    const search = [
      { type: 'call', callId: 's', name: 'search', input: { query: 'login' }, isProviderExecuted: true },
      { type: 'result', callId: 's', name: 'search', content: [], isProviderExecuted: true },
    ];
    const said = { type: 'text', text: 'I have looked for it.' };
    const talk = Array.from({ length: 80 }, (_, index) => ({
      id: `t${index}`,
      role: index % 2 === 0 ? 'user' : 'assistant',
      parts: [{ type: 'text', text: `step ${index} `.repeat(60) }],
    }));
    const stateSaid = (...parts: readonly unknown[]): string => {
      const history = [...talk, { ...talk[0], id: 'u' }, { id: 'z', role: 'assistant', parts }];
      const transcript = openTranscript({ codec: sessionCodec }, history);
      const step = prepare(transcript, emptyState(), policyOf(12_000), { reason: 'manual' });
      if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
      return step.changes.find(isRangeChange)?.text ?? '';
    };
    expect(stateSaid(said, ...search)).toContain('The assistant was at work');
    expect(stateSaid(...search, said)).toContain('was waiting for the user');
  });

  it('says how much has followed a request that stands behind the summary: it looks as if nobody had seen it', () => {
    const history = [
      { role: 'user', content: 'Fix the login.' },
      { role: 'assistant', content: 'Fixed.' },
      { role: 'user', content: 'Now the logout.' },
      ...Array.from({ length: 40 }, (_, index) => [called(`b${index}`), returned(`b${index}`)]).flat(),
    ];
    const transcript = openTranscript({ codec: anthropicCodec }, history);
    const step = prepare(transcript, emptyState(), policyOf(12_000), { reason: 'manual' });
    if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
    const { text = '' } = step.changes.find(isRangeChange) ?? {};
    expect(text).toContain('the messages behind it are newer (but for m2).');
    expect(text).toContain('The newest request of the user, m2, stands below; 80 messages followed it.');
  });

  it('tells whether the newest message is a request that nobody has answered yet', () => {
    const history = (last: unknown): unknown[] => [
      { role: 'user', content: 'Fix the login.' },
      ...Array.from({ length: 40 }, (_, index) => [called(`b${index}`), returned(`b${index}`)]).flat(),
      { role: 'assistant', content: 'Done.' },
      last,
    ];
    const stateSaid = (last: unknown): string => {
      const transcript = openTranscript({ codec: anthropicCodec }, history(last));
      const step = prepare(transcript, emptyState(), policyOf(12_000), { reason: 'manual' });
      if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
      const { text = '' } = step.changes.find(isRangeChange) ?? {};
      return text.slice(text.indexOf('## State'));
    };
    expect(stateSaid({ role: 'user', content: 'Commit it.' })).toContain('a request of the user, m82');
    expect(stateSaid({ role: 'assistant', content: 'All of it.' })).not.toContain('a request of the user');
    expect(stateSaid({ role: 'user', content: '<system-reminder>be quick</system-reminder>' })).not.toContain(
      'a request of the user',
    );
  });
});
