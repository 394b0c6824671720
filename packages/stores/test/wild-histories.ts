import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { sessionCodec } from '@throughline/core';
import { historyArbitrary } from '@throughline/testkit';
import { begin, message, messagesOf, closing } from '../src/contract/test-store.ts';
import type { SessionMessage } from '@throughline/core/codec';
import type { OpenStore } from '../src/contract/test-store.ts';

/** The wildest histories that the testkit makes come back byte for byte. */
export function describeWildHistories(name: string, openStore: OpenStore): void {
  const open = closing(openStore);
  describe(`${name}: messages`, () => {
    it('read back as they were stored, whatever is in them', async () => {
      const opened = await open();
      const { store } = opened;
      await fc.assert(
        fc.asyncProperty(historyArbitrary({ format: 'session', hostility: 'wild' }), async (history) => {
          const { id, lease } = await begin(store);
          // Ids of a session are unique: whoever imports gives new ones.
          const wire = history.map((one, index) => ({ ...(one as SessionMessage), id: `id-${index}` }));
          await store.write(lease, wire.map(message));
          const stored = messagesOf((await store.history.context(id)).messages);
          expect(JSON.stringify(stored)).toBe(JSON.stringify(wire));
          const entries = stored.map((one, ordinal) => sessionCodec.decode(one, ordinal));
          expect(entries).toEqual(wire.map((one, ordinal) => sessionCodec.decode(one, ordinal)));
        }),
        { numRuns: 40 },
      );
    });
  });
}
