import { everyCase, everyday } from '@throughline/testkit';
import { describe, expect, it } from 'vitest';
import { aiSdkCodec } from '../../src/codecs/ai-sdk/ai-sdk-codec.ts';
import { aiSdkPromptCodec } from '../../src/codecs/ai-sdk/ai-sdk-prompt-codec.ts';
import { anthropicCodec } from '../../src/codecs/anthropic/anthropic-codec.ts';
import { openaiAgentsCodec } from '../../src/codecs/openai-agents/openai-agents-codec.ts';
import { openaiChatCodec } from '../../src/codecs/openai-chat/openai-chat-codec.ts';
import { openaiResponsesCodec } from '../../src/codecs/openai-responses/openai-responses-codec.ts';
import { sessionCodec } from '../../src/codecs/session/session-codec.ts';
import { editObject, editText } from '../../src/json/edit-object.ts';
import { valueAt } from '../../src/json/json.ts';
import { checkCodec } from '../../src/contract/check-codec.ts';
import { possibleChanges } from '../../src/contract/possible-changes.ts';
import {
  agentsItem,
  aiSdkBytesMessage,
  aiSdkMessage,
  aiSdkPromptMessage,
  anthropicMessage,
  hostileMessage,
  openaiChatMessage,
  responsesItem,
  sessionMessage,
} from './wire-arbitraries.ts';
import type { Codec, PartChange } from '../../src/codecs/codec.ts';
import type { Path, WireEdit } from '../../src/json/json.ts';
import type { Entry, Part } from '../../src/transcript/entry.ts';
import type { PossibleChange } from '../../src/contract/possible-changes.ts';

import fc from 'fast-check';

const codecs: readonly [string, Codec, fc.Arbitrary<unknown>][] = [
  ['openai-chat', openaiChatCodec, openaiChatMessage],
  ['openai-responses', openaiResponsesCodec, responsesItem],
  ['anthropic', anthropicCodec, anthropicMessage],
  ['ai-sdk', aiSdkCodec, aiSdkMessage],
  ['ai-sdk-prompt', aiSdkPromptCodec, aiSdkPromptMessage],
  ['openai-agents', openaiAgentsCodec, agentsItem],
  ['session', sessionCodec, sessionMessage],
];

/** What can be changed, and what must come of it to the letter: JSON text keeps its form around a new value. */
function changesOf(entry: Entry, dice: number): readonly PossibleChange[] {
  return possibleChanges(entry, dice).map(({ change, expected }) => {
    if (change.type !== 'replace-arguments' || change.part.input.type !== 'text') return { change, expected };
    const { text: before } = change.part.input;
    const parts = expected.map((part) => {
      if (part.type !== 'call' || part.input.type !== 'text' || part.at !== change.part.at) return part;
      return { ...part, input: { ...part.input, text: inFormOf(before, part.input.text) } };
    });
    return { change, expected: parts };
  });
}

/** The generators write arguments with or without indentation, and repeat a member only in one known text. */
function inFormOf(before: string, text: string): string {
  if (before === '{"path":"a","path":"b"}') return `{"path":"a",${text.slice(1)}`;
  return before.includes('\n') ? JSON.stringify(JSON.parse(text), undefined, 2) : text;
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
  return value;
}

/** Parts without their places, which a removal shifts. */
function withoutPlaces(parts: readonly Part[]): unknown {
  return JSON.parse(JSON.stringify(parts, (key, value: unknown) => (key === 'at' ? undefined : value)));
}

function isInside(inner: Path, outer: Path): boolean {
  return outer.every((step, depth) => inner[depth] === step);
}

/** Every object off the edited paths is the same object before and after. */
function expectSameSiblings(
  before: unknown,
  after: unknown,
  edits: readonly WireEdit[],
  at: Path = [],
): void {
  if (edits.some((edit) => isInside(at, edit.at))) return;
  if (!edits.some((edit) => isInside(edit.at, at))) return expect(after).toBe(before);
  if (typeof before !== 'object' || before === null) return;
  for (const key of Object.keys(before)) {
    const step = Array.isArray(before) ? Number(key) : key;
    const gone = edits.filter((edit) => !('set' in edit) && edit.at.length === at.length + 1);
    const removed = gone.filter((edit) => isInside(edit.at, at) && typeof step === 'number');
    if (removed.some((edit) => edit.at.at(-1) === step)) continue;
    const shift = removed.filter((edit) => Number(edit.at.at(-1)) < Number(step)).length;
    const place = typeof step === 'number' ? step - shift : step;
    expectSameSiblings(valueAt(before, [step]), valueAt(after, [place]), edits, [...at, step]);
  }
}

describe.each(codecs)('%s', (_name, codec, message) => {
  it('decodes to an entry that points at the very message and needs no edit to become it again', () => {
    fc.assert(
      fc.property(message, fc.nat(1000), (wire, ordinal) => {
        freeze(wire);
        const entry = codec.decode(wire, ordinal);
        expect(entry).toMatchObject({ ordinal });
        expect(entry.wire).toBe(wire);
        expect(codec.edit(entry, [])).toEqual([]);
        expect(editObject(wire, codec.edit(entry, []))).toBe(wire);
        const json = JSON.stringify(wire, undefined, ordinal % 3);
        expect(editText(json, codec.edit(codec.decode(JSON.parse(json), ordinal), []))).toBe(json);
        expect(codec.decode(wire, ordinal)).toEqual(entry);
      }),
      { numRuns: 300, plugins: [everyday(100)] },
    );
  });

  it('keeps every promise of the contract that others check their codecs by', () => {
    fc.assert(
      fc.property(message, (wire) => {
        const samples = JSON.parse(JSON.stringify([wire])) as unknown[];
        const faults = checkCodec(codec, samples, { cannot: mayBeImpossible });
        expect(faults.filter(({ law }) => law !== 'samples')).toEqual([]);
      }),
      { numRuns: 100, plugins: [everyday(40)] },
    );
  });

  it('carries out each change on the part alone and leaves every sibling the same object', () => {
    const carriedOut = new Set<string>();
    fc.assert(
      fc.property(message, fc.nat(), (wire, dice) => {
        freeze(wire);
        const entry = codec.decode(wire, 3);
        for (const { change, expected } of changesOf(entry, dice)) {
          const edits = codec.edit(entry, [change]);
          const edited = editObject(wire, edits);
          if (edits.length === 0) {
            expect(edited).toBe(wire);
            expect(mayBeImpossible(change, wire)).toBe(true);
            continue;
          }
          carriedOut.add(change.type);
          expectSameSiblings(wire, edited, edits);
          if (edited === undefined) {
            expect(isWhole(change, wire)).toBe(true);
            continue;
          }
          expect(withoutPlaces(codec.decode(edited, 3).parts)).toEqual(withoutPlaces(expected));
        }
      }),
      { numRuns: 600, plugins: [everyCase] },
    );
    expect([...carriedOut].sort()).toEqual([
      'drop-part',
      'drop-reasoning',
      'rename-call',
      'replace-arguments',
      'replace-media',
      'replace-result',
      'replace-text',
    ]);
  });

  it('makes the same edits in the JSON text as in the object', () => {
    fc.assert(
      fc.property(message, fc.nat(), (wire, dice) => {
        const json = JSON.stringify(wire, undefined, dice % 3);
        const parsed: unknown = JSON.parse(json);
        const entry = codec.decode(parsed, 3);
        const changes = changesOf(entry, dice).map(({ change }) => change);
        const edits = codec.edit(entry, changes);
        const edited = editObject(parsed, edits);
        const text = editText(json, edits);
        if (edited === undefined) expect(text).toBe('');
        else expect(JSON.parse(text!)).toEqual(JSON.parse(JSON.stringify(edited)));
      }),
      { numRuns: 300, plugins: [everyday(100)] },
    );
  });

  it('never lets the edits of several changes overlap', () => {
    fc.assert(
      fc.property(message, fc.nat(), (wire, dice) => {
        const entry = codec.decode(wire, 3);
        const changes = changesOf(entry, dice).map(({ change }) => change);
        const edits = codec.edit(entry, changes);
        edits.forEach((edit, index) => {
          for (const other of edits.slice(index + 1)) {
            expect(isInside(edit.at, other.at) || isInside(other.at, edit.at)).toBe(false);
          }
        });
      }),
      { numRuns: 300, plugins: [everyday(100)] },
    );
  });

  it('decodes hostile input without throwing and without losing it', () => {
    fc.assert(
      fc.property(hostileMessage, (wire) => {
        const entry = codec.decode(wire, 0);
        expect(entry.wire).toBe(wire);
        expect(['system', 'user', 'assistant', 'tool']).toContain(entry.role);
        const changes = changesOf(entry, 1).map(({ change }) => change);
        editObject(wire, codec.edit(entry, changes));
        codec.neutral(entry);
      }),
      { numRuns: 500, plugins: [everyday(150)] },
    );
    for (const wire of [
      null,
      undefined,
      0,
      '',
      'text',
      [],
      [[]],
      {},
      { role: 'user' },
      { type: 'message' },
    ]) {
      expect(codec.decode(wire, 0).wire).toBe(wire);
    }
  });

  it('decodes nesting of 100 000 levels', () => {
    const deep: unknown = JSON.parse(`${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`);
    for (const wire of [
      deep,
      { role: 'user', content: deep, parts: deep },
      { role: 'tool', content: [deep] },
    ]) {
      expect(codec.decode(wire, 0).wire).toBe(wire);
    }
  });
});

/** What formats cannot say: a new id where calls have none, another result where the provider made it. */
function mayBeImpossible(change: PartChange, wire: unknown): boolean {
  const { part, type } = change;
  const itemType = String(valueAt(wire, ['type']));
  if (type === 'rename-call') return part.at[0] === 'function_call';
  if (type === 'replace-result' && change.part.isProviderExecuted) return true;
  if (type === 'replace-result' && itemType === 'shell_call_output') return change.part.pieces.length === 0;
  // A single block of media has no place for a text beside it.
  if (type === 'replace-result' && change.keepMedia && valueAt(wire, ['output', 'type']) !== undefined)
    return true;
  return [
    'computer_call_output',
    'computer_call_result',
    'tool_search_output',
    'image_generation_call',
  ].includes(itemType);
}

/** May the whole message go? Only when the part was all of it. */
function isWhole(change: PartChange, wire: unknown): boolean {
  const { at } = change.part;
  if (at.length === 0) return true;
  return at.length === 1 && typeof valueAt(wire, at) === 'string';
}

describe('ai-sdk in memory', () => {
  it('keeps raw bytes the same object and knows their size', () => {
    fc.assert(
      fc.property(aiSdkBytesMessage, (wire) => {
        const entry: Entry = aiSdkCodec.decode(wire, 0);
        const content = (wire as { content: { data: Uint8Array }[] }).content;
        entry.parts.forEach((part, index) => {
          expect(part).toMatchObject({ type: 'media', sizeBytes: content[index]!.data.byteLength });
        });
        const [first, ...others] = content;
        const change: PartChange = { type: 'replace-media', part: entry.parts[0] as never, text: 'gone' };
        const edited = editObject(wire, aiSdkCodec.edit(entry, [change])) as { content: unknown[] };
        expect(edited.content[0]).toEqual({ type: 'text', text: 'gone' });
        expect(first).toBeDefined();
        others.forEach((part, index) => expect(edited.content[index + 1]).toBe(part));
      }),
    );
  });
});
