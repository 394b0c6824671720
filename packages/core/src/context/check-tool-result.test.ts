import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentRun, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { checkToolResult } from './questions.ts';
import { emptyState } from '../pass/state.ts';
import { prepare } from './prepare.ts';
import type { Policy } from '../pass/policy.ts';
import type { Transcript } from '../history/transcript.ts';

const transcript = transcriptOf(agentRun(3));

/** Whether the result is truncated when it comes. */
function isTruncated(history: Transcript, policy: Policy, toolName: string, text: string): boolean {
  const call = { id: 'c', type: 'function', function: { name: toolName, arguments: '{}' } };
  const grown = appendMessages(history, [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: text },
  ]);
  const step = prepare(grown, emptyState(), policy);
  return step.type === 'ready' && step.changes.some(({ type }) => type === 'result-truncated');
}

describe('checkToolResult', () => {
  it.each([
    ['bash', 'x'.repeat(40_000)],
    ['read', `${'line\n'.repeat(3_000)}`],
    ['read', 'x'.repeat(3_000)],
    ['grep', 'a.ts:1: hit\n'.repeat(2_000)],
    ['anything', 'x y '.repeat(50_000)],
  ])('knows the limits of %s', (toolName, text) => {
    const check = checkToolResult(transcript, policyOf(1_000_000), { text, toolName });
    expect(check).toMatchObject({ wouldBeTruncated: true, wouldOverflow: false });
    expect(check.maxTokens).toBeLessThan(check.tokens);
  });

  it('takes a text without a tool for the output of any', () => {
    const text = 'x'.repeat(40_000);
    expect(checkToolResult(transcript, policyOf(1_000_000), text).wouldBeTruncated).toBe(false);
    const own: Policy = { ...policyOf(1_000_000), limitsOf: () => ({ maxOutputChars: 100 }) };
    expect(checkToolResult(transcript, own, text).wouldBeTruncated).toBe(true);
  });

  it('says what prepare will do, for any tool and any length', () => {
    const lines = fc.tuple(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 1, max: 60 }));
    const tool = fc.constantFrom('bash', 'read', 'grep', 'anything');
    fc.assert(
      fc.property(
        lines,
        tool,
        fc.constantFrom(20_000, 100_000, 1_000_000),
        ([count, width], toolName, window) => {
          const text = `${'w'.repeat(width)}\n`.repeat(count);
          const policy = policyOf(window);
          const { wouldBeTruncated } = checkToolResult(transcript, policy, { text, toolName });
          expect(wouldBeTruncated).toBe(isTruncated(transcript, policy, toolName, text));
        },
      ),
    );
  });

  it('says when the result as it is would not fit', () => {
    const check = checkToolResult(transcript, policyOf(20_000), 'word '.repeat(20_000));
    expect(check).toMatchObject({ wouldOverflow: true, wouldBeTruncated: true });
  });
});
