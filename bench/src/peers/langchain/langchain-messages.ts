import { argumentsOf, isErrorOutput, outputText, partsOf, textOf } from '../model-message.ts';
import { createMessageFormat } from '../message-format.ts';
import { importPeer } from '../import-peer.ts';
import type { MessageFormat } from '../message-format.ts';
import type { ModelMessage, ModelPart } from '../model-message.ts';

/** A message object of LangChain, as far as it is read here. */
export interface LangChainMessage {
  readonly type: string;
  readonly id?: string;
  readonly content: unknown;
  readonly text: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

type MessageClass = new (fields: object) => LangChainMessage;

/** The classes of `@langchain/core/messages` that are used here. */
interface MessageClasses {
  readonly SystemMessage: MessageClass;
  readonly HumanMessage: MessageClass;
  readonly AIMessage: MessageClass;
  readonly ToolMessage: MessageClass;
}

export async function loadMessageClasses(): Promise<MessageClasses> {
  return (await importPeer('@langchain/core/messages')) as unknown as MessageClasses;
}

/**
 * `trimMessages` hands out copies: a message with the id and the content of one that was handed in is that one. (A
 * summary may carry the id of a message it replaces.)
 */
export function createLangChainFormat(classes: MessageClasses): MessageFormat<LangChainMessage> {
  const byId = new Map<string, { readonly made: LangChainMessage; readonly message: ModelMessage }>();
  return createMessageFormat(
    (message) => {
      const id = `h${byId.size}`;
      const made = make(classes, message, id);
      byId.set(id, { made, message });
      return made;
    },
    (own) => {
      const origin = byId.get(own.id ?? '');
      const isCopy = origin?.made.type === own.type && origin.made.content === own.content;
      return isCopy ? origin.message : read(own);
    },
  );
}

function make(classes: MessageClasses, message: ModelMessage, id: string): LangChainMessage {
  const { SystemMessage, HumanMessage, AIMessage, ToolMessage } = classes;
  if (message.role === 'system') return new SystemMessage({ id, content: message.content });
  if (message.role === 'user') return new HumanMessage({ id, content: textOf(message) });
  const [first] = partsOf(message);
  if (message.role === 'tool' && first?.type === 'tool-result') {
    return new ToolMessage({
      id,
      content: outputText(first),
      tool_call_id: first.toolCallId,
      name: first.toolName,
      status: isErrorOutput(first) ? 'error' : 'success',
    });
  }
  const calls = partsOf(message).filter((part) => part.type === 'tool-call');
  return new AIMessage({
    id,
    content: textOf(message),
    tool_calls: calls.map((call) => ({
      id: call.toolCallId,
      name: call.toolName,
      args: argumentsOf(call),
      type: 'tool_call',
    })),
  });
}

function read(message: LangChainMessage): ModelMessage {
  const { type, text, tool_call_id: toolCallId = '', name: toolName = '', tool_calls: calls = [] } = message;
  if (type === 'system') return { role: 'system', content: text };
  if (type === 'tool') {
    const output = { type: 'text', value: text } as const;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
  }
  const parts: ModelPart[] = text === '' && calls.length > 0 ? [] : [{ type: 'text', text }];
  for (const call of calls)
    parts.push({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.args });
  return { role: type === 'human' ? 'user' : 'assistant', content: parts };
}
