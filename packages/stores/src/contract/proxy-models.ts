import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { chainOf, hashesOf, headOf, passAt, updateOf } from './proxy-histories.ts';
import type { ProxyStore } from '@throughline/ports';
import type { OpenedStore, OpenStore } from './test-store.ts';

const numRuns = 60;
const hourMs = 3_600_000;
const bytesOfRow = 400;

const text = fc.constantFrom('a', 'a', 'a', 'b');
// Few words and short histories: most begin alike, so that there are forks, rewinds and repeats in plenty.
const texts = fc.array(text, { minLength: 1, maxLength: 7, size: 'max' });
const scope = fc.constantFrom('s', 't');

const command = fc.oneof(
  {
    arbitrary: fc.record({
      type: fc.constant('request' as const),
      scope,
      texts,
      id: fc.nat({ max: 4 }),
      dies: fc.boolean(),
    }),
    weight: 5,
  },
  { arbitrary: fc.record({ type: fc.constant('pass' as const), scope, texts }), weight: 4 },
  { arbitrary: fc.record({ type: fc.constant('replace' as const), scope, texts }), weight: 1 },
  { arbitrary: fc.record({ type: fc.constant('find' as const), scope, texts }), weight: 4 },
  fc.record({ type: fc.constant('delete' as const), scope, id: fc.nat({ max: 4 }) }),
  fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1, 1_000, hourMs + 1) }),
  fc.record({
    type: fc.constant('prune' as const),
    olderMs: fc.option(fc.constantFrom(0, 500, hourMs), { nil: undefined }),
    maxBytes: fc.option(fc.nat({ max: 12_000 }), { nil: undefined }),
  }),
);
type Command = typeof command extends fc.Arbitrary<infer One> ? One : never;

interface ModelMessage {
  readonly parent: string | undefined;
  readonly bytes: number;
  readonly addedAtMs: number;
}

interface ModelConversation {
  readonly scope: string;
  readonly texts: readonly string[];
  readonly requests: number;
  readonly usedAtMs: number;
}

interface ModelPass {
  readonly head: string;
  readonly bytes: number;
  /** It counts for its own history alone. */
  readonly isLate: boolean;
}

/** What a store holds, as plain maps; keys are a scope and a hash. */
class Model {
  readonly messages = new Map<string, ModelMessage>();
  readonly passes = new Map<string, ModelPass>();
  readonly conversations = new Map<string, ModelConversation>();

  keysOf(inScope: string, said: readonly string[]): readonly string[] {
    return hashesOf(chainOf(said)).map((hash) => `${inScope} ${hash}`);
  }

  add(inScope: string, said: readonly string[], addedAtMs: number): void {
    const keys = this.keysOf(inScope, said);
    for (const [index, { message }] of chainOf(said).entries()) {
      const key = keys[index]!;
      const bytes = bytesOfRow + Buffer.byteLength(message);
      if (!this.messages.has(key)) this.messages.set(key, { parent: keys[index - 1], bytes, addedAtMs });
    }
  }

  keepPass(key: string, head: string, bytes = 0): void {
    const hasLonger = [...this.messages.values()].some(({ parent }) => parent === key);
    this.passes.set(key, { head, bytes, isLate: this.passes.get(key)?.isLate ?? hasLonger });
  }

  /** Whether what was made of a history counts for the last of these. */
  counts(key: string, keys: readonly string[]): boolean {
    const pass = this.passes.get(key);
    return pass !== undefined && (!pass.isLate || key === keys.at(-1));
  }

  delete(id: string): void {
    const { scope: inScope, texts: said } = this.conversations.get(id)!;
    this.conversations.delete(id);
    this.#deleteFrom(this.keysOf(inScope, said).at(-1));
  }

  deleteForgotten(addedBeforeMs: number): void {
    const old = [...this.messages].filter(([, { addedAtMs }]) => addedAtMs < addedBeforeMs);
    for (const [key] of old) this.#deleteFrom(key);
  }

  leastUsed(): string | undefined {
    const all = [...this.conversations].toSorted(([, one], [, other]) => one.usedAtMs - other.usedAtMs);
    return all[0]?.[0];
  }

  get bytes(): number {
    return [...this.messages.values(), ...this.passes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #deleteFrom(key: string | undefined): void {
    const message = key === undefined ? undefined : this.messages.get(key);
    if (key === undefined || !message || this.#isUsed(key)) return;
    this.messages.delete(key);
    this.passes.delete(key);
    this.#deleteFrom(message.parent);
  }

  #isUsed(key: string): boolean {
    const isHead = [...this.conversations.values()].some(
      (one) => this.keysOf(one.scope, one.texts).at(-1) === key,
    );
    return isHead || [...this.messages.values()].some(({ parent }) => parent === key);
  }
}

/** What a caller does with a request, whatever is stored of its history. */
async function request(proxy: ProxyStore, inScope: string, said: readonly string[]): Promise<void> {
  const chain = chainOf(said);
  const known = await proxy.knownLength(inScope, hashesOf(chain));
  const isStored = await proxy.addMessages(inScope, chain[known - 1]?.hash ?? null, chain.slice(known));
  expect(isStored).toBe(true);
}

interface Run {
  readonly model: Model;
  readonly clock: OpenedStore['clock'];
  readonly proxy: ProxyStore;
  readonly name: string;
}

type Acts = {
  readonly [Type in Command['type']]: (run: Run, given: Extract<Command, { type: Type }>) => Promise<void>;
};

const acts: Acts = {
  async request({ model, proxy, clock }, { scope: inScope, texts: said, id, dies }) {
    await request(proxy, inScope, said);
    model.add(inScope, said, clock.nowMs());
    if (dies) return;
    const name = `${inScope}${id}`;
    await proxy.conversations.update(inScope, updateOf(name, headOf(chainOf(said))));
    const requests = (model.conversations.get(name)?.requests ?? 0) + 1;
    model.conversations.set(name, { scope: inScope, texts: said, requests, usedAtMs: clock.nowMs() });
  },
  async pass({ model, proxy, name }, { scope: inScope, texts: said }) {
    const key = model.keysOf(inScope, said).at(-1)!;
    const kept = await proxy.passes.add(inScope, passAt(headOf(chainOf(said)), name));
    if (!model.messages.has(key)) return expect(kept).toBeUndefined();
    const standing = model.passes.get(key);
    expect(kept?.isOwn).toBe(standing === undefined);
    expect(kept?.pass.state.head).toBe(standing?.head ?? name);
    if (!standing) model.keepPass(key, name, kept?.pass.bytes);
  },
  async replace({ model, proxy, name }, { scope: inScope, texts: said }) {
    const key = model.keysOf(inScope, said).at(-1)!;
    const head = headOf(chainOf(said));
    const before = await proxy.passes.find(inScope, [head]);
    expect(before?.state.head).toBe(model.passes.get(key)?.head);
    const kept = await proxy.passes.replace(inScope, passAt(head, name), before?.version ?? 0);
    if (!model.messages.has(key)) return expect(kept).toBeUndefined();
    expect(kept).toMatchObject({ isOwn: true, pass: { state: { head: name } } });
    model.keepPass(key, name, kept?.pass.bytes);
  },
  async find({ model, proxy }, { scope: inScope, texts: said }) {
    const keys = model.keysOf(inScope, said);
    const hashes = hashesOf(chainOf(said));
    expect(await proxy.knownLength(inScope, hashes)).toBe(
      keys.findLastIndex((key) => model.messages.has(key)) + 1,
    );
    const at = keys.findLastIndex((key) => model.counts(key, keys));
    const found = await proxy.passes.find(inScope, hashes);
    expect(found?.length ?? 0).toBe(at + 1);
    expect(found?.state.head).toBe(model.passes.get(keys[at] ?? '')?.head);
  },
  async delete({ model, proxy }, { scope: inScope, id }) {
    const name = `${inScope}${id}`;
    const isThere = model.conversations.has(name);
    expect(await proxy.conversations.delete({ scope: inScope }, name)).toBe(isThere);
    if (isThere) model.delete(name);
  },
  async wait({ clock }, { ms }) {
    clock.advance(ms);
  },
  async prune({ model, proxy, clock }, { olderMs, maxBytes }) {
    const olderThanMs = olderMs === undefined ? undefined : clock.nowMs() - olderMs;
    const [bytes, conversations] = [model.bytes, model.conversations.size];
    const [messages, passes] = [model.messages.size, model.passes.size];
    const pruned = await proxy.prune({
      ...(olderThanMs !== undefined && { olderThanMs }),
      ...(maxBytes !== undefined && { maxBytes }),
    });
    for (const [id, { usedAtMs }] of model.conversations) if (usedAtMs < (olderThanMs ?? 0)) model.delete(id);
    model.deleteForgotten(clock.nowMs() - hourMs);
    for (let id = model.leastUsed(); id !== undefined && model.bytes > (maxBytes ?? Infinity);) {
      model.delete(id);
      id = model.leastUsed();
    }
    expect(pruned).toEqual({
      conversations: conversations - model.conversations.size,
      messages: messages - model.messages.size,
      passes: passes - model.passes.size,
      bytes: bytes - model.bytes,
      keptBytes: model.bytes,
    });
  },
};

async function act(run: Run, given: Command): Promise<void> {
  await (acts[given.type] as (one: Run, two: Command) => Promise<void>)(run, given);
}

/** All conversations of the model are there with all their messages and passes, and no others. */
async function compare(proxy: ProxyStore, model: Model): Promise<void> {
  const { conversations, passes } = proxy;
  const listed = await Promise.all(
    ['s', 't'].map(async (inScope) => (await conversations.list({ scope: inScope })).items),
  );
  expect(
    listed
      .flat()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([...model.conversations.keys()].toSorted());
  for (const [id, { scope: inScope, texts: said, requests }] of model.conversations) {
    const whose = { scope: inScope };
    expect(await conversations.read(whose, id)).toMatchObject({ requests, length: said.length });
    const { items } = await conversations.messages(whose, id);
    expect(items.map(({ hash, message }) => ({ hash, message }))).toEqual(chainOf(said));
    expect((await passes.list(whose, id)).map(({ state }) => state.head)).toEqual(
      model
        .keysOf(inScope, said)
        .filter((key, _index, keys) => model.counts(key, keys))
        .map((key) => model.passes.get(key)?.head),
    );
  }
}

/** Random requests, passes and deletions beside plain maps, through two connections in turn. */
export function describeProxyModels(name: string, open: OpenStore): void {
  describe(`${name}: the proxy beside a model`, () => {
    it('knows of trees of histories what a map of them knows, and keeps all that a conversation stands on', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 40, size: 'max' }), async (commands) => {
          const opened = await open();
          try {
            const model = new Model();
            const handles = [opened.store, await opened.again()];
            for (const [index, given] of commands.entries()) {
              const { proxy } = handles[index % handles.length]!;
              await act({ model, clock: opened.clock, proxy, name: `p${index}` }, given);
            }
            await compare((await opened.again()).proxy, model);
          } finally {
            await opened[Symbol.asyncDispose]();
          }
        }),
        { numRuns },
      );
    });
  });
}
