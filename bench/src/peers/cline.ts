import { argumentsOf, isErrorOutput, outputText, partsOf } from './model-message.ts';
import { createMessageFormat } from './message-format.ts';
import { importPeer } from './import-peer.ts';
import { peerContender } from './peer-contender.ts';
import type { Contender } from '@throughline/replay';
import type { ModelMessage, ModelPart } from './model-message.ts';
import type { PeerOptions, PeerStep } from './peer-contender.ts';

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'tool_result';
      readonly tool_use_id: string;
      readonly content: unknown;
      readonly is_error?: boolean;
    };

interface ClineMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly Block[];
}

type PrepareTurn = (input: object) => Promise<{ readonly messages: readonly ClineMessage[] } | undefined>;

interface ClineCore {
  readonly createContextCompactionPrepareTurn: (config: object) => PrepareTurn | undefined;
}

/** The share of the input limit at which it acts. */
const triggerRatio = 0.9;

/**
 * Cline's `basic` compaction (no model) before each request, its input limit such that its 90 % are B; told what the
 * server counted. Its `agentic` strategy asks a provider over the network by itself and cannot be given a stand-in.
 */
export async function clinePeers(options: PeerOptions): Promise<Contender[]> {
  const cline = (await importPeer('@cline/core')) as unknown as ClineCore;
  return [
    peerContender('Cline basic', options, ({ budgetTokens }) => {
      const prepareTurn = cline.createContextCompactionPrepareTurn({
        providerId: 'anthropic',
        modelId: 'fake',
        sessionId: 'bench',
        compaction: { enabled: true, strategy: 'basic' },
      });
      const maxInputTokens = Math.round(budgetTokens / triggerRatio);
      const info = { id: 'fake', maxInputTokens, contextWindow: maxInputTokens };
      const format = createMessageFormat(make, read);
      const systems: ModelMessage[] = [];
      let messages: readonly ClineMessage[] = [];
      let iteration = 0;
      return async ({ fresh, lastSentTokens }: PeerStep) => {
        systems.push(...fresh.filter(({ role }) => role === 'system'));
        messages = [...messages, ...fresh.filter(({ role }) => role !== 'system').map(format.toPeer)];
        const prepared = await prepareTurn?.({
          agentId: 'a',
          conversationId: 'c',
          parentAgentId: null,
          iteration: iteration++,
          messages,
          apiMessages: messages,
          abortSignal: new AbortController().signal,
          systemPrompt: '',
          tools: [],
          model: { id: 'fake', provider: 'anthropic', info },
          previousRequestInputTokens: lastSentTokens,
        });
        if (prepared) messages = prepared.messages;
        return [...systems, ...messages.map(format.fromPeer)];
      };
    }),
  ];
}

function make(message: ModelMessage): ClineMessage {
  const content = partsOf(message).flatMap((part): Block[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type === 'tool-call')
      return [{ type: 'tool_use', id: part.toolCallId, name: part.toolName, input: argumentsOf(part) }];
    if (part.type !== 'tool-result') return [];
    const result = { type: 'tool_result', tool_use_id: part.toolCallId, content: outputText(part) } as const;
    return [isErrorOutput(part) ? { ...result, is_error: true } : result];
  });
  return { role: message.role === 'assistant' ? 'assistant' : 'user', content };
}

function read({ role, content }: ClineMessage): ModelMessage {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  const parts = blocks.map((block): ModelPart => {
    if (block.type === 'tool_use')
      return { type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.input };
    if (block.type !== 'tool_result') return { type: 'text', text: block.text };
    const value = typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
    const output = { type: 'text', value } as const;
    return { type: 'tool-result', toolCallId: block.tool_use_id, toolName: '', output };
  });
  const isResult = parts.some(({ type }) => type === 'tool-result');
  return { role: isResult ? 'tool' : role, content: parts };
}
