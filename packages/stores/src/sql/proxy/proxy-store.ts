import { addMessages, knownLength } from './proxy-messages.ts';
import { passesOf } from './proxy-passes.ts';
import { proxyConversationsOf } from './proxy-conversations.ts';
import { pruneProxy } from './prune-proxy.ts';
import type { KnownLimits, ProxyLimits, ProxyStore } from '@throughline/ports';
import type { ProxySurroundings } from './proxy-scopes.ts';
import type { Tx } from '../kit/schema.ts';

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

function limitsOf({ database, clock }: ProxySurroundings): ProxyLimits {
  return {
    read: (address, model) => database.read((tx) => readLimits(tx, address, model)),
    keep: (address, model, { source, windowTokens: window_tokens }) =>
      database.write(
        async (tx) => {
          const said = { window_tokens, at_ms: clock.nowMs() };
          await tx
            .insertInto('proxy_limits')
            .values({ address, model, source, ...said })
            .onConflict((conflict) =>
              conflict
                .columns(['address', 'model', 'source'])
                .doUpdateSet(said)
                .where((stored) =>
                  stored.or([
                    stored('proxy_limits.source', '<>', 'learned'),
                    stored('proxy_limits.window_tokens', '>', window_tokens),
                  ]),
                ),
            )
            .execute();
          return readLimits(tx, address, model);
        },
        { about: address },
      ),
  };
}

async function readLimits(tx: Tx, address: string, model: string): Promise<KnownLimits> {
  const rows = await tx
    .selectFrom('proxy_limits')
    .select(['source', 'window_tokens', 'at_ms'])
    .where('address', '=', address)
    .where('model', '=', model)
    .execute();
  return Object.fromEntries(
    rows.map(({ source, window_tokens, at_ms }) => [source, { windowTokens: window_tokens, atMs: at_ms }]),
  );
}
