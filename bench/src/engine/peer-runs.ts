import { createBpeEstimator } from '@throughline/tokenizers';
import { withParts } from '../peers/model-message.ts';
import type { ChatMessage } from '../synthetic/chat-transcript.ts';
import type { LangChain, LangChainMessage, Peers, TokenCounter } from '../peers/load-peers.ts';
import type { ModelMessage, ModelPart } from '../peers/model-message.ts';

/** One peer on one transcript: `build` makes its own message objects (not timed), `run` is timed. */
export interface PeerRun {
  readonly name: string;
  /** It counts tokens, so it can be compared with a pass that counts. */
  readonly counts: boolean;
  readonly build: (messages: readonly ChatMessage[]) => () => unknown;
  /** Expected milliseconds, where it is known to take very long. */
  readonly expectMs?: (messages: readonly ChatMessage[]) => number;
}

const charactersPerToken = 4;

/** The peers that are installed, each as its documentation shows it, with a budget of `maxTokens`. */
export async function peerRuns(peers: Peers, maxTokens: number): Promise<PeerRun[]> {
  const { pruneMessages, createTokenLimiter, langChain } = peers;
  const runs: PeerRun[] = [];
  if (pruneMessages) {
    runs.push({
      name: 'AI SDK pruneMessages',
      counts: false,
      build: (messages) => {
        const own = toModelMessages(messages);
        return () => pruneMessages({ messages: own, reasoning: 'all', toolCalls: 'before-last-10-messages' });
      },
    });
  }
  if (createTokenLimiter) {
    runs.push({
      name: 'Mastra TokenLimiter',
      counts: true,
      build: (messages) => {
        const prompt = toModelMessages(messages);
        return () => createTokenLimiter(maxTokens).processLLMRequest({ prompt });
      },
    });
  }
  if (langChain) {
    const bpe = await createBpeEstimator('o200k_base');
    const byCharacters: TokenCounter = (messages) =>
      Math.ceil(messages.reduce((sum, message) => sum + textOf(message).length, 0) / charactersPerToken);
    const byTokens: TokenCounter = (messages) =>
      messages.reduce((sum, message) => sum + bpe.count(textOf(message)), 0);
    runs.push(
      trimRun('LangChain trimMessages, characters/4', langChain, { maxTokens, counter: byCharacters }),
      trimRun('LangChain trimMessages, o200k', langChain, { maxTokens, counter: byTokens }),
    );
  }
  return runs;
}

function trimRun(
  name: string,
  langChain: LangChain,
  trim: { maxTokens: number; counter: TokenCounter },
): PeerRun {
  return {
    name,
    counts: true,
    build: (messages) => {
      const own = toLangChain(messages, langChain);
      return () =>
        langChain.trimMessages(own, {
          maxTokens: trim.maxTokens,
          tokenCounter: trim.counter,
          strategy: 'last',
          includeSystem: true,
        });
    },
    // It counts the whole list, drops one message, counts the list again, until it fits.
    expectMs: (messages) => {
      const sample = toLangChain(messages.slice(0, 600), langChain);
      trim.counter(sample);
      const start = performance.now();
      trim.counter(sample);
      const msPerMessage = (performance.now() - start) / sample.length;
      return (msPerMessage * messages.length ** 2) / 2;
    },
  };
}

function textOf({ content, tool_calls: calls = [] }: LangChainMessage): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return calls.length === 0 ? text : text + JSON.stringify(calls);
}

function toLangChain(messages: readonly ChatMessage[], langChain: LangChain): LangChainMessage[] {
  return messages.map((message) => {
    if (message.role === 'system') return new langChain.SystemMessage({ content: message.content });
    if (message.role === 'user') return new langChain.HumanMessage({ content: message.content });
    if (message.role === 'tool') {
      return new langChain.ToolMessage({ content: message.content, tool_call_id: message.tool_call_id });
    }
    const calls = (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
      id,
      name,
      args: JSON.parse(input) as unknown,
    }));
    return new langChain.AIMessage({ content: message.content ?? '', tool_calls: calls });
  });
}

function toModelMessages(messages: readonly ChatMessage[]): ModelMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'system') return message;
    if (message.role === 'user') return withParts(message);
    if (message.role === 'tool') {
      const { tool_call_id: toolCallId, content: value } = message;
      const toolName = names.get(toolCallId) ?? '';
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }],
      };
    }
    const parts: ModelPart[] = message.content === null ? [] : [{ type: 'text', text: message.content }];
    for (const { id, function: call } of message.tool_calls ?? []) {
      names.set(id, call.name);
      parts.push({
        type: 'tool-call',
        toolCallId: id,
        toolName: call.name,
        input: JSON.parse(call.arguments) as unknown,
      });
    }
    return { role: 'assistant', content: parts };
  });
}
