import { converse, headOf, passAt } from '../src/contract/proxy-histories.ts';
import type { ProxyStore } from '@throughline/ports';

export const scope = 's';

export const textsOf = (who: string, round: number): readonly string[] =>
  Array.from({ length: 40 }, (_, index) => (index < 20 ? `shared ${index}` : `${who} ${round} ${index}`));

/** Stores conversations and passes and deletes half of them, without end; says what was done once it is stored. */
export async function* proxyWork(proxy: ProxyStore, who: string): AsyncGenerator<string> {
  for (let round = 0; ; round += 1) {
    const id = `${who}-${round}`;
    const chain = await converse(proxy, scope, { id, texts: textsOf(who, round) });
    yield `conversed ${id}`;
    await proxy.passes.add(scope, passAt(headOf(chain), id));
    yield `passed ${id}`;
    if (round % 2 === 0) continue;
    await proxy.conversations.delete({ scope }, `${who}-${round - 1}`);
    yield `deleted ${who}-${round - 1}`;
  }
}
