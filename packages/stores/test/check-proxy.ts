import { expect } from 'vitest';
import { chainOf, hashesOf } from '../src/contract/proxy-histories.ts';
import { scope, textsOf } from './proxy-work.ts';
import type { ProxyStore } from '@throughline/ports';

/** Whether all that was said to be stored is there, and nothing stands on messages that are not. */
export async function checkProxy(proxy: ProxyStore, said: readonly string[]): Promise<void> {
  const heard = (verb: string): readonly string[] =>
    said.filter((line) => line.startsWith(`${verb} `)).map((line) => line.slice(verb.length + 1));
  const { items } = await proxy.conversations.list({ scope }, { limit: 10_000 });
  const ids = items.map(({ id }) => id);
  for (const id of heard('deleted')) expect(ids).not.toContain(id);
  // The process may have died while it deleted one that is not said to be deleted yet.
  const missing = heard('conversed').filter((id) => !ids.includes(id) && !heard('deleted').includes(id));
  expect(missing.every((id) => said.includes(`passed ${id}`))).toBe(true);
  expect(missing.length).toBeLessThanOrEqual(new Set(missing.map((id) => id.split('-')[0])).size);
  for (const id of ids) {
    const [who = '', round = ''] = id.split('-');
    const chain = chainOf(textsOf(who, Number(round)));
    const stored = await proxy.conversations.messages({ scope }, id, { limit: 100 });
    expect(stored.items.map(({ hash, message }) => ({ hash, message }))).toEqual(chain);
    const found = await proxy.passes.find(scope, hashesOf(chain));
    if (heard('passed').includes(id)) expect(found?.state.head).toBe(id);
  }
}
