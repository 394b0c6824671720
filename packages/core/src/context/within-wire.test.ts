import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { emptyState } from '../pass/state.ts';
import { prepare } from './prepare.ts';
import { renderView } from '../history/render-view.ts';
import { resume } from './resume.ts';
import type { ContextState } from '../pass/state.ts';
import type { Policy } from '../pass/policy.ts';
import type { Step } from './step.ts';
import type { Transcript } from '../history/transcript.ts';

const summariser = { type: 'model', windowTokens: 40_000 } as const;

/** A step to its end, and how often the model was asked; it is never there. */
function run(transcript: Transcript, state: ContextState, policy: Policy): { step: Step; asked: number } {
  let step = prepare(transcript, state, policy);
  let asked = 0;
  for (; step.type === 'model-needed'; asked += 1)
    step = resume(transcript, step.paused, policy, { type: 'failed', cause: 'timeout', message: '' });
  return { step, asked };
}

const bytesOf = (text: string): number => encodeURIComponent(text).replace(/%../g, 'x').length;

describe('a limit on the bytes of a request', () => {
  it('ends in an error that names them where nothing brings the request below it, and asks no model for it', () => {
    const policy: Policy = { ...policyOf(200_000), wire: { maxBytes: 9_000 }, summariser };
    let transcript = transcriptOf([
      { role: 'system', content: 'rule. '.repeat(2_000) },
      ...agentRun(5, 2_000).slice(1),
    ]);
    let state = emptyState();
    for (let round = 0; round < 3; round += 1) {
      const { step, asked } = run(transcript, state, policy);
      expect(asked).toBe(0);
      if (step.type !== 'cannot-fit') throw new Error(step.type);
      expect(step.wire).toMatchObject({ maxBytes: 9_000 });
      expect(step.wire?.bytes).toBeGreaterThan(12_000);
      expect(step.requestTokens).toBeLessThan(step.usableTokens);
      state = step.state;
      transcript = appendMessages(transcript, exchange(100 + round, 300));
    }
  });

  it('names too many media that are pinned', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const transcript = transcriptOf([
      { role: 'user', content: [{ type: 'text', text: 'Look.' }, image, image, image] },
    ]);
    const { step } = run(transcript, emptyState(), {
      ...policyOf(200_000),
      wire: { maxMedia: 2 },
      pins: [0],
    });
    expect(step).toMatchObject({ type: 'cannot-fit', wire: { media: 3, maxMedia: 2 } });
  });

  it.each([['plain words '], ['漢字とかな、'], ['"quoted"\\n\n\t']])(
    'is held whatever the text: %s',
    (piece) => {
      fc.assert(
        fc.property(
          fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 4, maxLength: 30 }),
          (lengths) => {
            const messages = lengths.flatMap((length, index) => [
              {
                role: 'user',
                content: index === 0 ? 'Do it.' : `go on ${index} ${piece.repeat(length % 7)}`,
              },
              { role: 'assistant', content: (index % 2 === 0 ? piece : 'ascii only ').repeat(length) },
            ]);
            const transcript = transcriptOf([...messages, { role: 'user', content: 'And now?' }]);
            const { step } = run(transcript, emptyState(), {
              ...policyOf(400_000),
              wire: { maxBytes: 6_000 },
            });
            if (step.type !== 'ready') throw new Error(step.type);
            const shown = renderView(transcript, step.view).messages.map(({ message }) => message);
            expect(bytesOf(JSON.stringify(shown))).toBeLessThanOrEqual(6_000 * 1.03);
          },
        ),
        { numRuns: 30 },
      );
    },
  );

  it('asks the model once where the request comes within it', () => {
    const policy: Policy = { ...policyOf(400_000), wire: { maxBytes: 30_000 }, summariser };
    const { step, asked } = run(transcriptOf(agentRun(60, 2_000)), emptyState(), policy);
    expect(step.type).toBe('ready');
    expect(asked).toBeLessThanOrEqual(1);
  });
});
