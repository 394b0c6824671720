import { describe, expect, it } from 'vitest';
import { agentRun, policyOf } from '../../test/chat-history.ts';
import { charactersEstimator } from '../tokens/estimator.ts';
import { checkOverflow, estimateTokens } from './questions.ts';
import { countMessages, openTranscript } from '../history/transcript.ts';
import { openaiChatCodec } from '../codecs/openai-chat/openai-chat-codec.ts';
import type { Transcript } from '../history/transcript.ts';

function transcriptOf(messages: readonly unknown[]): Transcript {
  const system = 'You are an agent. '.repeat(20);
  const tools = [{ name: 'read', description: 'Reads a file.', parameters: { type: 'object' } }];
  return openTranscript({ codec: openaiChatCodec, estimator: charactersEstimator, system, tools }, messages);
}

describe('estimateTokens', () => {
  it('adds up system text, tools and messages to what an overflow check starts from', () => {
    const transcript = transcriptOf(agentRun(5));
    const estimate = estimateTokens(transcript);
    expect(estimate.system).toBe(90);
    expect(estimate.tools).toBeGreaterThan(8);
    expect(estimate.total).toBe(estimate.system + estimate.tools + estimate.messages);
    const { currentTokens } = checkOverflow(transcript, policyOf(1_000_000));
    expect(currentTokens).toBe(Math.floor(estimate.total));
  });

  it('counts the error result that a call without a result is sent with', () => {
    const messages = agentRun(5);
    const open = estimateTokens(transcriptOf(messages.slice(0, -1))).messages;
    const without = estimateTokens(transcriptOf(messages.slice(0, -2))).messages;
    const { interruptedTokens } = transcriptOf([]).conversation;
    expect(interruptedTokens).toBeGreaterThan(20);
    expect(open).toBeGreaterThan(without + interruptedTokens);
  });

  it('is nothing for nothing', () => {
    expect(estimateTokens(openTranscript({ codec: openaiChatCodec }))).toEqual({
      total: 0,
      system: 0,
      tools: 0,
      messages: 0,
    });
  });
});

describe('countMessages', () => {
  it('counts messages by who says them, and what users ask', () => {
    expect(countMessages(transcriptOf([...agentRun(5), { role: 'user', content: '' }]))).toEqual({
      total: 13,
      byRole: { system: 1, user: 2, assistant: 5, tool: 5 },
      requests: 1,
    });
  });
});
