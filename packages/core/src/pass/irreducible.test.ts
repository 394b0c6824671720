import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charactersEstimator } from '../tokens/estimator.ts';
import { agentRun, policyOf } from '../../test/chat-history.ts';
import { actualTokens, openPass } from './pass.ts';
import { emptyState } from './state.ts';
import { irreducible } from './irreducible.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import { openTranscript } from '../history/transcript.ts';
import type { Pass } from './pass.ts';
import type { MeasuredUsage } from './state.ts';

interface Setting {
  readonly pins?: readonly number[];
  readonly usage?: MeasuredUsage;
  readonly system?: string;
  readonly notesTokens?: number;
}

function passOf(
  messages: readonly unknown[],
  { pins = [], usage, system = '', notesTokens = 0 }: Setting = {},
): Pass {
  const transcript = openTranscript(
    { codec: openaiChatCodec, estimator: charactersEstimator, system },
    messages,
  );
  const state = { ...emptyState(), usage: usage ?? null };
  return openPass(transcript, state, policyOf(40_000, 'reactive-overflow', { pins }), { notesTokens });
}

const named = (pass: Pass, name: string): number =>
  irreducible(pass).parts.find((part) => part.name === name)?.tokens ?? 0;

const words = (count: number): string => 'word '.repeat(count);

describe('irreducible', () => {
  const run = agentRun(3);

  it.each([
    ['the task', 1],
    ['the system prompt', 0],
    ['the newest result, which the model has not answered', run.length - 1],
  ])('counts %s once when it is pinned', (_what, pin) => {
    const plain = irreducible(passOf(run));
    const pinned = irreducible(passOf(run, { pins: [pin, pin, 999] }));
    // What is pinned is not shrunk to a note.
    const shrunk = named(passOf(run), 'unanswered') - named(passOf(run, { pins: [pin] }), 'unanswered');
    const kept = named(passOf(run, { pins: [pin] }), 'pins');
    expect(pinned.tokens).toBe(plain.tokens - shrunk + kept);
  });

  it('counts a long task that is pinned whole, and no second time as a pin', () => {
    const messages = [{ role: 'user', content: words(8_000) }, ...agentRun(2).slice(2)];
    const pass = passOf(messages, { pins: [0] });
    expect(named(pass, 'task')).toBe(pass.transcript.conversation.sizes.at(0)?.tokens);
    expect(named(pass, 'pins')).toBe(0);
    expect(named(passOf(messages), 'task')).toBe(pass.measures.verbatim);
  });

  it('counts system messages in the middle of the session', () => {
    const rule = { role: 'system', content: words(400) };
    const added = irreducible(passOf([...run.slice(0, 4), rule, ...run.slice(4)]));
    expect(added.tokens).toBeGreaterThan(irreducible(passOf(run)).tokens + 400);
  });

  it('counts the error results that unanswered calls are sent with', () => {
    const open = passOf(run.slice(0, -1));
    expect(named(open, 'unanswered')).toBeGreaterThan(open.transcript.conversation.interruptedTokens);
  });

  it('names the notes behind the view as what they are, not as system and tools', () => {
    const [plain, noted] = [0, 3_000].map((notesTokens) => passOf(run, { notesTokens })) as [Pass, Pass];
    expect(named(noted, 'notes')).toBe(3_000);
    expect(named(noted, 'system and tools, as the provider counts them')).toBe(0);
    expect(irreducible(noted).tokens).toBe(irreducible(plain).tokens + 3_000);
  });

  it('never says more than the request measures, whatever the provider counted and whatever is pinned', () => {
    const tokens = fc.integer({ min: 1, max: 30_000 });
    const setting = fc.record(
      {
        pins: fc.array(fc.integer({ min: -1, max: 12 })),
        usage: fc.record({ actualTokens: tokens, estimateTokens: tokens }),
        system: fc.constantFrom('', words(2_000)),
        notesTokens: fc.constantFrom(0, 3_000),
      },
      { requiredKeys: ['pins'] },
    );
    fc.assert(
      fc.property(setting, fc.integer({ min: 1, max: 8 }), (given, length) => {
        const pass = passOf(run.slice(0, length), given);
        const { tokens: least, parts } = irreducible(pass);
        expect(least).toBeLessThanOrEqual(Math.ceil(actualTokens(pass)) + parts.length);
      }),
    );
  });
});
