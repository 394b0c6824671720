import type { Conversations } from '../following/conversations.ts';
import type { AgentsSession } from './agents-protocol.ts';

/** What a session may offer beside, and what holds as well for one that hands out less. */
const offered = [
  'prepareHistoryItemForModelInput',
  'preserveReasoningItemIdsForPersistence',
  'applyHistoryMutations',
] as const;

/**
 * A session that keeps everything in another one and hands a run only what fits. With a limit it returns the newest
 * items as they are stored.
 */
export function fittingSession<Item>(
  inner: AgentsSession<Item>,
  conversations: Conversations,
): AgentsSession<Item> {
  return {
    ...offersOf(inner),
    getSessionId: () => inner.getSessionId(),
    async getItems(limit) {
      const items = await inner.getItems(limit);
      if (limit !== undefined || items.length === 0) return items;
      const { messages } = await conversations.fit(items, { ending: 'open' });
      return [...messages] as Item[];
    },
    addItems: (items) => inner.addItems(items),
    popItem: () => inner.popItem(),
    clearSession: () => inner.clearSession(),
  };
}

function offersOf(inner: object): object {
  const offers = inner as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    offered.flatMap((name) => {
      const offer = offers[name];
      return typeof offer === 'function' ? [[name, offer.bind(inner) as unknown]] : [];
    }),
  );
}
