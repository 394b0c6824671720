import { createStrategy, emptyState } from '@throughline/core';
import { describe, expect, it } from 'vitest';
import { fitMessages } from './fit-messages.ts';
import { withCacheMarks } from './with-cache-marks.ts';
import type { Policy } from '@throughline/core';

const policy: Policy = { strategy: createStrategy('reactive-overflow'), budget: { windowTokens: 4_000 } };

describe('withCacheMarks', () => {
  it('marks tools, system text, summary and newest message, and changes nothing else', async () => {
    const messages = Array.from({ length: 60 }, (_, turn) => [
      { role: 'user', content: `Question ${turn}: ${'why? '.repeat(40)}` },
      { role: 'assistant', content: `Answer ${turn}: ${'because. '.repeat(40)}` },
    ])
      .flat()
      .concat([{ role: 'user', content: 'And now?' }]);
    const system = 'Be careful.';
    const tools = [{ name: 'read', input_schema: { type: 'object' } }];
    const fitted = await fitMessages(messages, emptyState(), { policy, system, tools });
    const marked = withCacheMarks(fitted, { system, tools });
    const cache_control = { type: 'ephemeral' };
    expect(marked.system).toEqual([{ type: 'text', text: system, cache_control }]);
    expect(marked.tools).toEqual([{ ...tools[0], cache_control }]);
    expect(JSON.stringify(marked).split('cache_control')).toHaveLength(5);
    expect(JSON.stringify(marked.messages.at(-1))).toContain('cache_control');
    expect(JSON.stringify(fitted.messages)).not.toContain('cache_control');
    const untouched = marked.messages.filter((message, index) => message === fitted.messages[index]);
    expect(untouched).toHaveLength(marked.messages.length - 2);
  });

  it('leaves out what the request does not have', async () => {
    const fitted = await fitMessages([{ role: 'user', content: 'go' }], emptyState(), { policy });
    expect(Object.keys(withCacheMarks(fitted, {}))).toEqual(['messages']);
  });
});
