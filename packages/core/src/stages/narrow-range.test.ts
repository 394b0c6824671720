import { describe, expect, it } from 'vitest';
import { appendMessages } from '../history/transcript.ts';
import { emptyState } from '../pass/state.ts';
import { agentRun, policyOf, transcriptOf, wordsOf } from '../../test/chat-history.ts';
import { prepare } from '../context/prepare.ts';
import { recall } from '../history/recall.ts';
import { renderView } from '../history/render-view.ts';
import type { Policy } from '../pass/policy.ts';
import type { RangeChange } from '../changes/change.ts';
import type { Ready } from '../context/step.ts';
import type { Transcript } from '../history/transcript.ts';

const rule = 'Remember: the ticket is ABC-12345 and the host is db-17.internal.example.com.';

function session(): Transcript {
  return transcriptOf([
    { role: 'user', content: 'Fix it.' },
    { role: 'assistant', content: 'ok' },
    { role: 'user', content: rule },
    ...agentRun(40, 2_000).slice(2),
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Thanks, and now?' },
    { role: 'assistant', content: 'Tell me.' },
  ]);
}

function pass(
  transcript: Transcript,
  before: Ready | undefined,
  policy: Policy,
  reason: 'manual' | 'provider-error',
): Ready {
  const step = prepare(transcript, before?.state ?? emptyState(), policy, { reason });
  if (step.type !== 'ready') throw new Error(step.type);
  return step;
}

const rangeOf = ({ state }: Ready): RangeChange | undefined =>
  state.changes.find((change): change is RangeChange => 'summary' in change);
const shown = (transcript: Transcript, step: Ready | undefined): string =>
  JSON.stringify(step && renderView(transcript, step.view).messages);
const wordsIn = (step: Ready): string[] => wordsOf(rangeOf(step)?.summary);

describe('passes that the user asks for again and again', () => {
  it('come to rest with the words of the user in the view', () => {
    const transcript = session();
    let step: Ready | undefined;
    for (let round = 0; round < 8; round += 1) {
      step = pass(transcript, step, policyOf(200_000), 'manual');
      expect(wordsIn(step)).toContain(rule);
      expect(shown(transcript, step)).toContain('ABC-12345');
      expect(rangeOf(step)?.type).toBe('range-compacted');
    }
    const last = pass(transcript, step, policyOf(200_000), 'manual');
    expect(last.changes).toEqual([]);
    expect(last.checkpoint).toBeUndefined();
  });

  it('forget nothing either that came in between', () => {
    let transcript = session();
    let step: Ready | undefined;
    const said: string[] = [rule];
    for (let round = 0; round < 8; round += 1) {
      const message = `Use port ${8000 + round} for service ${round}.`;
      said.push(message);
      transcript = appendMessages(transcript, [
        { role: 'user', content: message },
        { role: 'assistant', content: `Service ${round} is up. ${'More of it. '.repeat(60)}` },
      ]);
      step = pass(transcript, step, policyOf(200_000), 'manual');
    }
    for (const message of said) expect(shown(transcript, step)).toContain(message);
  });
});

describe('a view that is short of space', () => {
  it('keeps the words of the user in the summary though the text has no room for them, and names what is archived', () => {
    const transcript = session();
    let step: Ready | undefined;
    for (let round = 0; round < 8; round += 1) {
      step = pass(transcript, step, policyOf(200_000), 'provider-error');
      expect(wordsIn(step)).toContain(rule);
      const range = rangeOf(step);
      expect(range?.text).toMatch(
        new RegExp(`m${range?.anchor.first}\\b.*m${(range?.anchor.end ?? 0) - 1}\\b`, 's'),
      );
    }
    expect(recall(transcript, 'm2')?.text).toContain('ABC-12345');
  });

  it('says them also where there is hardly room, and as soon as there is more', () => {
    let transcript = session();
    let step: Ready | undefined;
    for (let round = 0; round < 8; round += 1)
      step = pass(transcript, step, policyOf(200_000), 'provider-error');
    expect(shown(transcript, step)).toContain('ABC-12345');
    transcript = appendMessages(transcript, [
      { role: 'user', content: 'Go on.' },
      ...agentRun(40, 2_000).slice(2),
    ]);
    step = pass(transcript, step, policyOf(200_000), 'manual');
    expect(shown(transcript, step)).toContain('ABC-12345');
  });
});
