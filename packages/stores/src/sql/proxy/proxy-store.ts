import { addMessages, knownLength } from './proxy-messages.ts';
import { limitsOf } from './proxy-limits.ts';
import { passesOf } from './proxy-passes.ts';
import { proxyConversationsOf } from './proxy-conversations.ts';
import { pruneProxy } from './prune-proxy.ts';
import type { ProxyStore } from '@throughline/ports';
import type { ProxySurroundings } from './proxy-scopes.ts';

export function proxyStoreOf(around: ProxySurroundings): ProxyStore {
  return {
    addMessages: (scope, after, messages) => addMessages(around, scope, after, messages),
    knownLength: (scope, hashes) => knownLength(around, scope, hashes),
    passes: passesOf(around),
    conversations: proxyConversationsOf(around),
    limits: limitsOf(around),
    prune: (bounds) => pruneProxy(around, bounds),
  };
}
