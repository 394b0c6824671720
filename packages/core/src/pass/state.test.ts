import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { appendMessages } from '../history/transcript.ts';
import { emptyState, parseState } from './state.ts';
import { prepare } from '../context/prepare.ts';
import { recordUsage } from './usage.ts';
import type { ContextState } from './state.ts';

const policy = policyOf(16_000);
const transcript = transcriptOf(agentRun(60, 1_000));

function sessionState(): ContextState {
  const step = prepare(transcript, emptyState(), policy);
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return recordUsage(transcript, step.state, { inputTokens: 5_000, windowTokens: 16_000 });
}

describe('a stored state', () => {
  it('comes back as the same object where nothing is wrong with it', () => {
    const state = sessionState();
    expect(parseState(state)).toBe(state);
    const stored: unknown = JSON.parse(JSON.stringify(state));
    expect(parseState(stored)).toBe(stored);
    expect(stored).toEqual(state);
  });

  it.each([
    ['calibration', { a: null, b: null }],
    ['calibration', null],
    ['usage', { actualTokens: null, estimateTokens: 5 }],
    ['usage', undefined],
    ['sentTokens', NaN],
    ['floorTokens', null],
    ['offeredTokens', 'many'],
    ['learnedWindow', { windowTokens: null }],
    ['truncation', undefined],
    ['checkpointCount', -1],
    ['isAutoCompactionPaused', null],
    ['head', 7],
  ] as const)('forgets %s where it is %j', (field, value) => {
    const empty = emptyState();
    expect(parseState({ ...sessionState(), [field]: value })[field]).toEqual(empty[field]);
  });

  it('is measured in numbers whatever it held', () => {
    const state = sessionState();
    const fields = Object.keys(state).filter((field) => field !== 'version' && field !== 'changes');
    const longer = appendMessages(transcript, exchange(200, 1_000));
    fc.assert(
      fc.property(fc.constantFrom(...fields), fc.anything(), (field, value) => {
        const step = prepare(longer, { ...state, [field]: value }, policy);
        expect(step.type).toBe('ready');
        if (step.type !== 'ready') return;
        expect(Number.isFinite(step.report.tokens.final)).toBe(true);
        expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.usableTokens);
      }),
      { numRuns: 200 },
    );
  });
});
