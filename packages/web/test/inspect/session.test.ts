import { anthropicCodec, convertMessages, openaiChatCodec } from '@throughline/core';
import { agentCodec } from '@throughline/core/internal';
import { beforeAll, describe, expect, it } from 'vitest';
import { cacheAt } from '../../src/inspect/prefix-cache.ts';
import { compactionDiff } from '../../src/inspect/compare/compaction-diff.ts';
import { compareViews } from '../../src/inspect/compare/compare-views.ts';
import { fatesAt } from '../../src/inspect/fates.ts';
import { floorOf } from '../../src/inspect/floor.ts';
import { forecast } from '../../src/inspect/forecast.ts';
import { fromFile, readFile } from '../../src/inspect/source/from-file.ts';
import { longTurn, openSession } from './open-session.ts';
import { originalOf, recallIdIn } from '../../src/inspect/original.ts';
import { outcomeOf, whatIf } from '../../src/inspect/compare/what-if.ts';
import { passRows, passTree } from '../../src/inspect/compare/pass-tree.ts';
import { pixel } from '@throughline/testkit';
import { readInspected } from '../../src/data/read-inspected.ts';
import { requestAt } from '../../src/inspect/request-at.ts';
import type { Codec } from '@throughline/core';
import type { Inspected, StepIndex } from '../../src/inspect/inspected.ts';
import type { OpenedSession } from './open-session.ts';

/** Several compactions, among them one that was taken back after steps under it, and one that made way for another. */
async function compacted(codec: Codec): Promise<OpenedSession> {
  const script = [...longTurn(1, 3), ...longTurn(4, 1), ...longTurn(5, 14), ...longTurn(19, 10)];
  const opened = await openSession(script, { codec });
  const { client, id, say } = opened;
  await say('Read three of them, and never touch config/secret.yaml.');
  await client.compact({ id });
  await say('One more.');
  await client.undoCompaction({ id });
  await say('Now all of it.');
  await client.undoCompaction({ id });
  await client.compact({ id });
  await say('And more.');
  return opened;
}

describe.each([openaiChatCodec, anthropicCodec])('a session of a real server, as $name', (codec) => {
  let opened: OpenedSession;
  let inspected: Inspected;

  beforeAll(async () => {
    opened = await compacted(codec);
    inspected = await readInspected(opened.client, opened.id);
  });

  it('has its whole history, all compactions and every step', async () => {
    expect(inspected.steps).toHaveLength(opened.driver.requests.length);
    expect(inspected.passes.length).toBeGreaterThan(3);
    const undone = new Set(inspected.passes.flatMap(({ id, isInForce }) => (isInForce ? [] : [id])));
    expect(inspected.steps.some(({ head }) => undone.has(head ?? ''))).toBe(true);
    expect(inspected.steps[1]).toMatchObject({
      usage: { outputTokens: 10, cacheReadTokens: 0 },
      model: 'model',
    });
    const { messageCount } = await opened.client.getSession({ id: opened.id });
    expect(inspected.transcript.conversation.entries).toHaveLength(messageCount);
  });

  it('has the request of every step as the server says it, across compactions and undos', async () => {
    const lengths = new Set<number>();
    for (const [index, { seq }] of inspected.steps.entries()) {
      const { request, isExact } = await opened.client.getStepRequest({ id: opened.id, seq: seq ?? -1 });
      expect(isExact).toBe(true);
      const { messages, transcript } = requestAt(inspected, index);
      const entries = messages.map(({ message }) => agentCodec.decode(message, 0));
      const sent = convertMessages(entries, agentCodec, codec).messages;
      const said = (request as { readonly messages: readonly unknown[] }).messages.map(unmarked);
      expect(sent.map(unmarked)).toEqual(said);
      lengths.add(sent.length);
      expect(transcript.conversation.entries).toHaveLength(inspected.steps[index]?.historyLength ?? -1);
    }
    expect(lengths.size).toBeGreaterThan(3);
  });

  it('says of every message of every step what became of it, with a cause that there is', () => {
    const causes = new Set<string>();
    for (const [index, { historyLength }] of inspected.steps.entries()) {
      const { items } = requestAt(inspected, index);
      const shown = new Set(items.flatMap((item) => (item.type === 'entry' ? [item.entry.ordinal] : [])));
      const fates = fatesAt(inspected, index);
      expect(fates).toHaveLength(inspected.transcript.conversation.entries.length);
      for (const fate of fates) {
        expect(fate.state === 'shown').toBe(shown.has(fate.ordinal));
        expect(fate.state === 'later').toBe(fate.ordinal >= historyLength);
        if (fate.state === 'gone') {
          causes.add(fate.cause.type);
          expect(fate.cause.pass).not.toBeNull();
          expect(fate.cause.step ?? 0).toBeLessThanOrEqual(index);
          const { first, end } = rangeOf(fate.cause.pass?.checkpoint.changes ?? []);
          expect(fate.ordinal >= first && fate.ordinal < end).toBe(true);
        }
        if (fate.state !== 'shown') continue;
        const parts = fate.parts.filter(({ state }) => state === 'changed');
        for (const { cause } of parts) causes.add(cause?.type ?? 'none');
      }
      expect(fates[0]).toMatchObject({ state: 'shown', because: 'task' });
      // Reasoning that no provider wants back.
      const answer = fates[1];
      if (answer?.state === 'shown') expect(answer.parts[0]).toMatchObject({ state: 'never-sent' });
    }
    expect([...causes]).toEqual(expect.arrayContaining(['range-compacted']));
  });

  it('is the same when its export is opened as a file, but for system text and tools', async () => {
    const lines: string[] = [];
    for await (const line of opened.client.exportSession({ id: opened.id })) lines.push(`${line}\n`);
    const file = fromFile(await readFile(new Blob(lines), 'export.jsonl'));
    // A file is only looked at: nothing is taken back in it, or put in force again.
    expect(file.passes.filter(({ canUndo, canRedo }) => canUndo || canRedo)).toEqual([]);
    const plain = ({ passes }: Inspected): unknown =>
      passes.map((pass) => ({ ...pass, canUndo: false, canRedo: false }));
    expect(plain(file)).toEqual(plain(inspected));
    expect(file.steps).toEqual(inspected.steps.map((step) => ({ ...step, seq: null })));
    expect(file.setup).toMatchObject({
      pins: inspected.setup.pins,
      windowTokens: 8_000,
      isWindowKnown: true,
    });
    expect(file.setup.triggerTokens).toBe(inspected.setup.triggerTokens);
    for (const index of [...inspected.steps.keys(), 'next'] as const)
      expect(sentParts(file, index)).toEqual(sentParts(inspected, index));
    expect(fatesAt(file, 'next').map(({ state }) => state)).toEqual(
      fatesAt(inspected, 'next').map(({ state }) => state),
    );
  });

  it('opens the original of what was compacted', () => {
    const last = inspected.steps.length - 1;
    const gone = fatesAt(inspected, last).find(({ state, ordinal }) => state === 'gone' && ordinal > 1);
    const found = originalOf(inspected, `m${gone?.ordinal}`);
    expect(found).toMatchObject({ state: 'found' });
    expect(originalOf(inspected, 'm99999')).toEqual({ state: 'unknown', recallId: 'm99999' });
    expect(originalOf(inspected, 'o7')).toEqual({ state: 'elsewhere', recallId: 'o7' });
    expect(recallIdIn('[cleared result m12.3, 400 tokens]')).toBe('m12.3');
    expect(recallIdIn('nothing of the kind')).toBeUndefined();
  });

  it('has each compaction as what went, what stands there now, and which facts are found', () => {
    const pass = inspected.passes.findLast(({ isInForce, summary }) => isInForce && summary !== null);
    if (!pass) throw new Error('Expected a compaction in force.');
    const { lost, written, facts } = compactionDiff(inspected, pass);
    expect(lost.length).toBeGreaterThan(0);
    expect(written).toContain(pass.summary ?? 'no summary');
    for (const { text, foundIn } of facts) {
      if (foundIn === 'summary' && !text.includes('\n')) expect(written).toContain(text);
      // As a word of its own: 672 stands in 1672.
      if (foundIn === 'missing')
        expect(written).not.toMatch(
          new RegExp(`(?<!\\w)${text.replaceAll(/[^\w\s]/g, String.raw`\$&`)}(?!\\w)`),
        );
    }
    expect(facts.some(({ kind, foundIn }) => kind === 'path' && foundIn === 'summary')).toBe(true);
    expect(lost.every(({ ordinal }) => ordinal === null || ordinal < pass.checkpoint.historyEnd)).toBe(true);
  });

  it('knows where the prefix broke, and why', () => {
    expect(cacheAt(inspected, 0)).toMatchObject({ cause: { type: 'first-request' }, rewrittenTokens: 0 });
    let breaks = 0;
    for (let index = 1; index < inspected.steps.length; index += 1) {
      const { cause, breakAt, messages, rewrittenTokens } = cacheAt(inspected, index);
      const isSameHead = inspected.steps[index]?.head === inspected.steps[index - 1]?.head;
      if (isSameHead) expect(cause).toBeNull();
      if (breakAt !== null) {
        breaks += 1;
        expect(['changes', 'undone']).toContain(cause?.type);
        if (cause?.type === 'changes') expect(cause.passes.length).toBeGreaterThan(0);
        expect(messages[breakAt]?.state).not.toBe('cached');
        expect(rewrittenTokens).toBeGreaterThan(0);
      }
      // Cached messages are in front of all others.
      const states = messages.map(({ state }) => state === 'cached');
      expect(states.lastIndexOf(true) + 1).toBe(states.filter(Boolean).length);
    }
    expect(breaks).toBeGreaterThan(2);
  });

  it('has the compactions as a tree, and compares any two views', async () => {
    const rows = passRows(passTree(inspected));
    expect(rows.map(({ pass }) => pass.id).toSorted()).toEqual(
      inspected.passes.map(({ id }) => id).toSorted(),
    );
    expect(rows.filter(({ state }) => state === 'head')).toHaveLength(1);
    expect(rows.some(({ state }) => state === 'undone')).toBe(true);
    const same = compareViews(inspected, { step: 'next' }, { step: 'next' });
    expect(same.rows.every(({ state }) => state === 'same')).toBe(true);
    const { items } = await opened.client.listCompactions({ id: opened.id });
    for (const { id } of items) {
      const { now } = await opened.client.compareViews({ id: opened.id, now: id, before: 'none' });
      const { right, left, rows: compared } = compareViews(inspected, { pass: null }, { pass: id });
      expect(right.messages.map(({ ordinal = null }) => ordinal)).toEqual(now.map(({ ordinal }) => ordinal));
      expect(right.messages.map(({ message }) => partsOf(message))).toEqual(
        now.map(({ message }) => partsOf(message)),
      );
      expect(compared.flatMap((row) => row.left ?? [])).toEqual(left.items);
      expect(compared.flatMap((row) => row.right ?? []).length).toBe(right.items.length);
    }
  });

  it('says what goes next, what never goes, and what each strategy would come to', async () => {
    const { client, id } = opened;
    const ahead = forecast(inspected);
    const { currentTokens, triggerTokens } = await client.getContext({ id });
    expect(ahead).toMatchObject({ currentTokens, triggerTokens, never: null });
    expect(ahead.stepsLeft).toBe(
      Math.max(0, Math.ceil((triggerTokens - currentTokens) / ahead.tokensPerStep)),
    );
    const preview = await client.previewCompaction({ id });
    if (preview.type === 'compacted') expect(ahead.next?.tokensAfter).toBe(preview.tokensAfter);
    const { parts, tokens, usableTokens } = floorOf(inspected);
    expect(usableTokens).toBe(inspected.setup.usableTokens);
    expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(tokens);
    expect(parts.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['system', 'tools', 'task']));
    const { items } = await client.whatIf({ id });
    const here = whatIf(inspected);
    const there = items.map((item) => outcomeOf(item, currentTokens));
    for (const outcome of there) {
      const own = here.find(({ strategy }) => strategy === outcome.strategy);
      expect(own?.state).toBe(outcome.state);
      if (outcome.state === 'compacted') {
        expect(own?.tokensAfter).toBe(outcome.tokensAfter);
        expect(own?.tokensBefore).toBe(outcome.tokensBefore);
      }
    }
    expect(there.map(({ strategy }) => strategy)).toEqual(here.map(({ strategy }) => strategy));
  });
});

it('follows changes around pictures, of which it has the address and not the bytes', async () => {
  const { client, id, say } = await openSession([...longTurn(1, 14), { text: 'Done.' }]);
  await say([
    { type: 'text', text: 'What is this?' },
    { type: 'image', mediaType: pixel.mediaType, data: pixel.base64 },
  ]);
  await say('Go on.');
  const inspected = await readInspected(client, id);
  expect(inspected.passes.length).toBeGreaterThan(0);
  const last = inspected.steps.length - 1;
  expect(fatesAt(inspected, last).some(({ state }) => state === 'gone')).toBe(true);
});

/** Marks for the cache are put on when a request is sent. */
function unmarked(message: unknown): unknown {
  const { cache_control: _, ...plain } = message as Readonly<Record<string, unknown>>;
  const { content } = plain;
  if (typeof content === 'string') return { ...plain, content: [{ type: 'text', text: content }] };
  return Array.isArray(content) ? { ...plain, content: content.map(withoutMark) } : plain;
}

function withoutMark(block: unknown): unknown {
  const { cache_control: _, ...plain } = block as Readonly<Record<string, unknown>>;
  return plain;
}

function sentParts(inspected: Inspected, index: StepIndex): unknown {
  return requestAt(inspected, index).messages.map(({ source, message }) => [source, partsOf(message)]);
}

function partsOf(message: unknown): unknown {
  return (message as { readonly parts: unknown }).parts;
}

interface Ranged {
  readonly anchor: object;
}

function rangeOf(changes: readonly Ranged[]): { readonly first: number; readonly end: number } {
  const found = changes.find(({ anchor }) => 'first' in anchor);
  return (found?.anchor ?? { first: 0, end: 0 }) as { first: number; end: number };
}
