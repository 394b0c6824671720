import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { emptyState } from '../context/state.ts';
import { openTranscript } from '../context/transcript.ts';
import { policyOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { renderView } from '../context/render-view.ts';
import type { Policy } from '../context/policy.ts';

function thinkingRun(groups: number): unknown[] {
  const messages: unknown[] = [{ role: 'user', content: 'Find the bug.' }];
  for (let index = 0; index < groups; index += 1) {
    messages.push({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: `step ${index}`, signature: `sig${index}` },
        { type: 'tool_use', id: `t${index}`, name: 'read', input: { path: `src/${index}.ts` } },
      ],
    });
    messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `t${index}`, content: `value ${index} `.repeat(120) }],
    });
  }
  return messages;
}

function signatures(policy: Policy): { all: string[]; text: string } {
  const transcript = openTranscript({ codec: anthropicCodec }, thinkingRun(60));
  const step = prepare(transcript, emptyState(), policy);
  if (step.type !== 'ready') throw new Error(step.type);
  const text = JSON.stringify(renderView(transcript, step.view).messages.map(({ message }) => message));
  return { all: text.match(/sig\d+/g) ?? [], text };
}

describe('signed reasoning behind an edit', () => {
  it('stays whole where it is bound to its own content', () => {
    const { all, text } = signatures(policyOf(20_000));
    expect(text).toMatch(/\[cleared result|Compaction Round/);
    expect(all.length).toBeGreaterThan(0);
    for (const signature of all) expect(text).toContain(`step ${signature.slice(3)}"`);
  });

  it('is dropped with the edit, the open tool loop included, where it is bound to everything before it', () => {
    const { all, text } = signatures({ ...policyOf(20_000), reasoningBinding: 'prefix' });
    expect(text).toMatch(/\[cleared result|Compaction Round/);
    expect(all).toEqual([]);
    expect(text).not.toContain('"thinking"');
  });

  it('stays where nothing was edited', () => {
    const { all } = signatures({ ...policyOf(200_000), reasoningBinding: 'prefix' });
    expect(all).toHaveLength(60);
  });
});
