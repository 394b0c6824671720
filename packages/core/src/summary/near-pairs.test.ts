import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NearPairs } from './near-pairs.ts';
import { pairResults } from '../transcript/entry-text.ts';
import type { CallId, CallPart, Entry, EntryId, Part, ResultPart } from '../transcript/entry.ts';

const call = (id: number): Part => ({
  type: 'call',
  at: [],
  callId: `c${id}` as CallId,
  name: 'run',
  input: { type: 'text', text: '{}', at: [] },
});
const result = (id: number): Part => ({
  type: 'result',
  at: [],
  callId: `c${id}` as CallId,
  isError: false,
  pieces: [],
});

function run(messages: readonly (readonly Part[])[]): Entry[] {
  return messages.map((parts, ordinal) => ({
    id: `m${ordinal}` as EntryId,
    ordinal,
    role: 'assistant',
    wire: {},
    parts,
  }));
}

/** Every part of a type with its place. */
function placed<Found extends Part>(entries: readonly Entry[], isOne: (part: Part) => part is Found) {
  return entries.flatMap(({ parts }, at) =>
    parts.flatMap((part, index) => (isOne(part) ? [{ part, place: { at, part: index } }] : [])),
  );
}

const isCall = (part: Part): part is CallPart => part.type === 'call';
const isResult = (part: Part): part is ResultPart => part.type === 'result';

// Few ids, so that they repeat, and enough messages that some pairs are far apart.
const anyRun = fc
  .array(
    fc.array(
      fc.tuple(fc.boolean(), fc.nat(30)).map(([isOne, id]) => (isOne ? call(id) : result(id))),
      { maxLength: 4 },
    ),
    { maxLength: 90 },
  )
  .map(run);

describe('NearPairs', () => {
  it('finds the call of every result, as the list of all pairs has it', () => {
    fc.assert(
      fc.property(anyRun, (entries) => {
        const pairs = new NearPairs(entries);
        const listed = new Map(pairResults(entries).map(({ part, call: answered }) => [part, answered]));
        for (const { part, place } of placed(entries, isResult)) {
          expect(pairs.callOf(part, place)).toBe(listed.get(part));
        }
      }),
    );
  });

  it('finds the first result of every call, and none that answers a later call of the same id', () => {
    fc.assert(
      fc.property(anyRun, (entries) => {
        const pairs = new NearPairs(entries);
        const first = new Map<CallPart, ResultPart>();
        for (const { part, call: answered } of pairResults(entries))
          if (answered && !first.has(answered)) first.set(answered, part);
        for (const { part, place } of placed(entries, isCall))
          expect(pairs.answerTo(part, place)).toBe(first.get(part));
      }),
    );
  });

  it('pairs the parallel calls of one huge message, too', () => {
    const ids = Array.from({ length: 2_000 }, (_, id) => id);
    const entries = run([ids.map(call), ids.map(result)]);
    const pairs = new NearPairs(entries);
    for (const { part, place } of placed(entries, isCall))
      expect(pairs.answerTo(part, place)?.callId).toBe(part.callId);
    for (const { part, place } of placed(entries, isResult))
      expect(pairs.callOf(part, place)?.callId).toBe(part.callId);
  });
});
