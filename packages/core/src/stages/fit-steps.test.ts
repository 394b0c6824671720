import { expect, it } from 'vitest';
import { emptyState } from '../pass/state.ts';
import { policyOf, transcriptOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';

const pasted = Array.from({ length: 12 }, (_, index) => ({
  role: 'user',
  content: `File ${index}: ${'word '.repeat(1_000)}`,
}));
const windows = Array.from({ length: 6 }, (_, index) => 8_000 + index * 2_000);

// Each window puts the limit at another place between what one more step leaves and what it finds.
it.each(['reactive-overflow', 'threshold-tail'])(
  'new messages too large for a window are made smaller until they fit: %s',
  (strategy) => {
    const messages = [
      { role: 'user', content: 'Read what I paste.' },
      { role: 'assistant', content: 'I wait.' },
      ...pasted,
    ];
    const transcript = transcriptOf(messages);
    for (const windowTokens of windows) {
      const policy = policyOf(windowTokens, strategy, { summariser: { type: 'code' } });
      const step = prepare(transcript, emptyState(), policy);
      expect({ windowTokens, type: step.type }).toEqual({ windowTokens, type: 'ready' });
      if (step.type !== 'ready') return;
      expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.usableTokens);
    }
  },
);
