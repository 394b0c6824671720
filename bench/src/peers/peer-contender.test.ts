import { chatTranscript } from '../synthetic/chat-transcript.ts';
import { createModelHistory } from './model-history.ts';
import { createTokenCounter, figuresOf, planSteps, replaySession } from '@throughline/replay';
import { describe, expect, it } from 'vitest';
import { openaiChatCodec } from '@throughline/core';
import { peerContender } from './peer-contender.ts';
import type { Contender, Figures, SessionToReplay } from '@throughline/replay';

const perFour = createTokenCounter({ name: 'characters/4', count: (text) => text.length / 4 });
const windowTokens = 200_000;

function sessionOf(messages: readonly unknown[]): SessionToReplay {
  return { codec: openaiChatCodec, messages, timesMs: [] };
}

async function replay(contender: Contender, messages: readonly unknown[]): Promise<Figures> {
  const plan = planSteps(sessionOf(messages), { maxSteps: 1_000, textTokens: perFour.ofText });
  const setting = {
    budgetTokens: 2_000,
    windowTokens,
    outputReserveTokens: 32_000,
    tokensOf: perFour.ofMessage,
    textTokens: perFour.ofText,
    outsideTokens: 0,
  };
  return figuresOf(await replaySession(plan, contender, setting));
}

describe('the sessions that peers get', () => {
  const messages = chatTranscript(120);
  const idle = (joinsResults: boolean): Contender =>
    peerContender(
      'idle',
      { windowTokens, textTokens: perFour.ofText, joinsResults },
      () =>
        ({ history }) =>
          history,
    );

  it.each([true, false])('have lost nothing on the way (results joined: %s)', async (joinsResults) => {
    const figures = await replay(idle(joinsResults), messages);
    expect(figures).toMatchObject({ valid: 1, breaks: 0, userMessages: 1, prefixKept: 1, postUses: 0 });
    expect(figures.recall.all.hit).toBe(1);
    expect(figures.cost.flat.inside).toBeGreaterThan(0.97);
    expect(figures.cost.flat.inside).toBeLessThan(1.03);
  });

  it('have unique call ids, each result behind its call', () => {
    const pair = [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'same', type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'same', content: 'ok' },
    ];
    const twice = [{ role: 'user', content: 'Go.' }, ...pair, ...pair];
    const history = createModelHistory(sessionOf(twice), { splitsResults: true }).upTo(5);
    const ids = history.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])),
    );
    expect(ids).toEqual(['same', 'same', 'same-2', 'same-2']);
  });
});
