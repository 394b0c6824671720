import { describe, expect, it } from 'vitest';
import { agentRun, exchange, policyOf, transcriptOf } from '../../test/chat-history.ts';
import { anthropicCodec } from '../codecs/anthropic/anthropic-codec.ts';
import { appendMessages, openTranscript } from './transcript.ts';
import { checkOverflow } from '../context/questions.ts';
import { emptyState } from '../pass/state.ts';
import { markForCache } from './mark-for-cache.ts';
import { prepare } from '../context/prepare.ts';
import { recordUsage } from '../pass/usage.ts';
import { renderView } from './render-view.ts';
import { toolsInView } from './dynamic-context.ts';
import type { Ready, Step } from '../context/step.ts';

const policy = policyOf(16_000);
const large = policyOf(200_000);

function ready(step: Step): Ready {
  if (step.type !== 'ready') throw new Error(`expected a ready step, got ${step.type}`);
  return step;
}

describe('dynamic context', () => {
  it('stands at the end of the request and leaves the prefix before it alone', () => {
    let transcript = transcriptOf(agentRun(5));
    let state = emptyState();
    let before: unknown[] = [];
    for (let index = 10; index < 20; index += 1) {
      transcript = appendMessages(transcript, exchange(index));
      const notes = [`Step ${index}.`, 'Todo: fix the login.'];
      const step = ready(prepare(transcript, state, policy, { notes }));
      const messages = renderView(transcript, step.view, { notes }).messages.map(({ message }) => message);
      expect(messages.at(-1)).toEqual({ role: 'user', content: `Step ${index}.\n\nTodo: fix the login.` });
      expect(messages.slice(0, before.length)).toEqual(before);
      before = messages.slice(0, -1);
      state = step.state;
    }
  });

  it('counts towards the budget, once', () => {
    const transcript = transcriptOf(agentRun(5));
    const note = 'x'.repeat(40_000);
    const without = ready(prepare(transcript, emptyState(), large));
    const withNote = ready(prepare(transcript, emptyState(), large, { notes: [note] }));
    const added = withNote.report.tokens.final - without.report.tokens.final;
    expect(added).toBeGreaterThan(9_900);
    expect(added).toBeLessThan(10_100);
    const counted = recordUsage(transcript, withNote.state, {
      inputTokens: withNote.report.tokens.final,
      windowTokens: 200_000,
    });
    const next = ready(prepare(transcript, counted, large, { notes: [note] }));
    expect(Math.abs(next.report.tokens.final - withNote.report.tokens.final)).toBeLessThan(10);
    expect(checkOverflow(transcript, large, counted).currentTokens).toBeLessThan(
      without.report.tokens.final + 10,
    );
  });

  it('is sent without halves of characters, which JSON cannot carry', () => {
    const transcript = transcriptOf(agentRun(1));
    const { view } = ready(prepare(transcript, emptyState(), large));
    const { messages } = renderView(transcript, view, { notes: ['cut \uD83D', 'whole \u{1F600}'] });
    expect(messages.at(-1)?.message).toEqual({ role: 'user', content: 'cut \uFFFD\n\nwhole \u{1F600}' });
  });

  it('makes room for itself', () => {
    const transcript = transcriptOf(agentRun(60));
    expect(prepare(transcript, emptyState(), policy)).toMatchObject({ report: { ladderSteps: [] } });
    const step = ready(prepare(transcript, emptyState(), policy, { notes: ['y'.repeat(16_000)] }));
    expect(step.report.ladderSteps.length).toBeGreaterThan(0);
    expect(step.report.tokens.final).toBeLessThanOrEqual(step.report.triggerTokens);
  });

  it('gets no cache mark', () => {
    const transcript = openTranscript({ codec: anthropicCodec }, [{ role: 'user', content: 'Fix it.' }]);
    const notes = ['Today is Monday.'];
    const { view } = ready(prepare(transcript, emptyState(), large, { notes }));
    const { messages } = markForCache({ messages: renderView(transcript, view, { notes }).messages });
    expect(JSON.stringify(messages[0])).toContain('cache_control');
    expect(JSON.stringify(messages[1])).not.toContain('cache_control');
  });
});

describe('toolsInView', () => {
  const found = { role: 'assistant', content: 'The search found deploy_app and list_pods.' };

  it('keeps the tools that a call or a text in the view names, as a whole word', () => {
    const { view } = ready(prepare(transcriptOf([...agentRun(3), found]), emptyState(), large));
    expect(toolsInView(view, ['read', 'deploy_app', 'list_pods', 'list', 'drop_table'])).toEqual([
      'read',
      'deploy_app',
      'list_pods',
    ]);
  });

  it('drops the tools that only compacted messages named', () => {
    const history = [
      ...agentRun(3),
      found,
      ...Array.from({ length: 400 }, (_, index) => exchange(index + 10)).flat(),
    ];
    const step = ready(prepare(transcriptOf(history), emptyState(), policyOf(8_000, 'middle-removal')));
    expect(toolsInView(step.view, ['read', 'list_pods_of_another_life'])).toEqual(['read']);
  });
});
