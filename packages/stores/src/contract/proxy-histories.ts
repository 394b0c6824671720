import { createHash } from 'node:crypto';
import { emptyState } from '@throughline/core';
import type { ContextState } from '@throughline/core';
import type { ChainedMessage, ConversationUpdate, NewPass, ProxyStore } from '@throughline/ports';

/** A history of messages that say these texts, named as the proxy names one. */
export function chainOf(texts: readonly string[]): readonly ChainedMessage[] {
  let hash = '';
  return texts.map((text, index) => {
    const message = JSON.stringify({ role: index % 2 === 0 ? 'user' : 'assistant', content: text });
    hash = createHash('sha256').update(hash).update(message).digest('hex');
    return { hash, message };
  });
}

export const hashesOf = (chain: readonly ChainedMessage[]): readonly string[] =>
  chain.map(({ hash }) => hash);

export function headOf(chain: readonly ChainedMessage[]): string {
  const last = chain.at(-1);
  if (!last) throw new Error('expected a message');
  return last.hash;
}

export function stateNamed(name: string): ContextState {
  return { ...emptyState(), head: name, checkpointCount: 1 };
}

export function passAt(hash: string, name: string, conversationId = 'c'): NewPass {
  const report = {
    action: 'compacted',
    tokensBefore: 2_000,
    tokensAfter: 500,
    windowTokens: 4_000,
    checkpointId: name,
    atMs: 7,
  };
  return { hash, conversationId, state: stateNamed(name), report };
}

export function updateOf(id: string, headHash: string, owner = 'ada'): ConversationUpdate {
  return { id, headHash, owner, route: 'main', title: `title of ${id}`, model: 'm' };
}

/** Stores a history and a conversation that stands on it. */
export async function converse(
  proxy: ProxyStore,
  scope: string,
  { id, texts, owner }: { readonly id: string; readonly texts: readonly string[]; readonly owner?: string },
): Promise<readonly ChainedMessage[]> {
  const chain = chainOf(texts);
  if (!(await proxy.addMessages(scope, null, chain))) throw new Error('expected the messages to be stored');
  const stored = await proxy.conversations.update(scope, updateOf(id, headOf(chain), owner));
  if (!stored) throw new Error('expected the conversation to be stored');
  return chain;
}
