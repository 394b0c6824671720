import { argumentsOf, outputText, partsOf, textOf } from './model-message.ts';
import { importPeer } from './import-peer.ts';
import { peerContender } from './peer-contender.ts';
import type { Contender } from '@throughline/replay';
import type { ModelMessage, ModelPart } from './model-message.ts';
import type { PeerOptions } from './peer-contender.ts';

/** An item of the Agents SDK, with the part of a message it was made from. */
type Item = object;

interface AgentsCore {
  readonly MemorySession: new () => {
    getItems(limit?: number): Promise<readonly Item[]>;
    addItems(items: readonly Item[]): Promise<void>;
  };
}

/** A limit is a number of items; one of them is about this large in recorded sessions. */
const tokensPerItem = 500;

/** OpenAI Agents SDK: `getItems(limit)` of a memory session, the newest B/500 items at every step. */
export async function openaiAgentsPeers(options: PeerOptions): Promise<Contender[]> {
  const { MemorySession } = (await importPeer('@openai/agents-core')) as unknown as AgentsCore;
  return [
    peerContender('OpenAI Agents getItems', options, ({ budgetTokens }) => {
      const session = new MemorySession();
      const places: Place[] = [];
      const limit = Math.round(budgetTokens / tokensPerItem);
      return async ({ fresh }) => {
        const added = fresh.flatMap(itemsOf);
        places.push(...added);
        await session.addItems(added.map(({ item }) => item));
        const kept = await session.getItems(limit);
        return messagesOf(places.slice(places.length - kept.length), places);
      };
    }),
  ];
}

interface Place {
  readonly item: Item;
  readonly message: ModelMessage;
  readonly part: ModelPart;
}

/** One item for each part that the SDK keeps. */
function itemsOf(message: ModelMessage): Place[] {
  if (message.role === 'system' || message.role === 'user') {
    const [part] = partsOf(message);
    const item = { type: 'message', role: message.role, content: textOf(message) };
    return part ? [{ item, message, part }] : [];
  }
  return partsOf(message).map((part) => ({ item: itemOf(part), message, part }));
}

function itemOf(part: ModelPart): Item {
  if (part.type === 'tool-call') {
    const { toolCallId: callId, toolName: name } = part;
    const input = JSON.stringify(argumentsOf(part));
    return { type: 'function_call', callId, name, arguments: input, status: 'completed' };
  }
  if (part.type === 'tool-result') {
    const { toolCallId: callId, toolName: name } = part;
    const output = { type: 'text', text: outputText(part) };
    return { type: 'function_call_result', callId, name, output, status: 'completed' };
  }
  const text = part.type === 'file' ? '[file]' : part.text;
  const content = [{ type: 'output_text', text }];
  return { type: 'message', role: 'assistant', status: 'completed', content };
}

/** The messages of the kept items: whole ones as they are, of a torn one the parts that are left. */
function messagesOf(kept: readonly Place[], all: readonly Place[]): ModelMessage[] {
  const first = kept[0];
  if (!first) return [];
  const messages = [...new Set(kept.map(({ message }) => message))];
  const partsLeft = kept.filter(({ message }) => message === first.message).map(({ part }) => part);
  const isWhole = all.filter(({ message }) => message === first.message).length === partsLeft.length;
  if (isWhole || first.message.role === 'system') return messages;
  return [{ role: first.message.role, content: partsLeft }, ...messages.slice(1)];
}
