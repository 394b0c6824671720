import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anthropicCodec } from '../../src/codecs/anthropic/anthropic-codec.ts';
import { convertMessages } from '../../src/codecs/convert.ts';
import { aiSdkCodec } from '../../src/codecs/ai-sdk/ai-sdk-codec.ts';
import { openaiChatCodec } from '../../src/codecs/openai-chat/openai-chat-codec.ts';
import { openaiResponsesCodec } from '../../src/codecs/openai-responses/openai-responses-codec.ts';
import { editObject, editText } from '../../src/json/edit-object.ts';
import { valueAt } from '../../src/json/json.ts';
import { splitJsonArray } from '../../src/json/scan-json.ts';
import { possibleChanges } from '../../src/contract/possible-changes.ts';
import type { Codec } from '../../src/codecs/codec.ts';
import type { Path, WireEdit } from '../../src/json/json.ts';
import type { Entry } from '../../src/transcript/entry.ts';

const folder = resolve(
  process.env['THROUGHLINE_SESSIONS'] ?? join(import.meta.dirname, '../../../../../shared/data'),
);

/** A JSON text and the places of the messages in it. */
interface Document {
  readonly text: string;
  readonly places: readonly Path[];
}

interface Source {
  readonly name: string;
  readonly codec: Codec;
  readonly files: RegExp;
  readonly documents: (text: string) => Document[];
}

function lines(isMessage: (line: unknown) => boolean, place: Path): Source['documents'] {
  return (text) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{') && isMessage(JSON.parse(line)))
      .map((line) => ({ text: line, places: [place] }));
}

function arrayAt(text: string, path: Path): Path[] {
  return (splitJsonArray(text, path)?.items ?? []).map((_, index) => [...path, index]);
}

const isClaude = (line: unknown): boolean =>
  ['user', 'assistant'].includes(String(valueAt(line, ['type']))) && valueAt(line, ['message']) !== undefined;

const sources: readonly Source[] = [
  {
    name: 'Claude Code and Agent SDK',
    codec: anthropicCodec,
    files: /(claude-code_|claude-sdk_|0ccf1a04\/).*\.jsonl$/,
    documents: lines(isClaude, ['message']),
  },
  {
    name: 'Codex',
    codec: openaiResponsesCodec,
    files: /codex-rollout_.*\.jsonl$/,
    documents: lines((line) => valueAt(line, ['type']) === 'response_item', ['payload']),
  },
  {
    name: 'tau-bench',
    codec: openaiChatCodec,
    files: /tau-bench\/.*\.json$/,
    documents: (text) => [
      { text, places: arrayAt(text, []).flatMap((task) => arrayAt(text, [...task, 'traj'])) },
    ],
  },
  {
    name: 'OpenHands',
    codec: openaiChatCodec,
    files: /openhands-sdk\/.*\.json$/,
    documents: (text) => [{ text, places: arrayAt(text, ['messages']) }],
  },
  {
    name: 'a Responses compaction',
    codec: openaiResponsesCodec,
    files: /openai-compaction.*\.json$/,
    documents: (text) => [{ text, places: arrayAt(text, ['output']) }],
  },
  {
    name: 'an Anthropic compaction',
    codec: anthropicCodec,
    files: /anthropic-compaction.*\.json$/,
    documents: (text) => [{ text, places: [[]] }],
  },
];

const isPresent = existsSync(folder);
const files = isPresent ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];
const others: readonly Codec[] = [openaiChatCodec, openaiResponsesCodec, anthropicCodec, aiSdkCodec];

// Without the folder of recorded sessions there is nothing to run these over: they are skipped.
describe.skipIf(!isPresent)(
  'codecs on recorded sessions (skipped where the folder of sessions is absent)',
  () => {
    for (const { name, codec, files: pattern, documents } of sources) {
      it(`reads every message of ${name}, edits its text in place and can say it in every format`, () => {
        const matching = files.filter((file) => pattern.test(file));
        expect(matching).not.toEqual([]);
        for (const file of matching) {
          const entries: Entry[] = [];
          for (const { text, places } of documents(readFileSync(join(folder, file), 'utf8'))) {
            const document: unknown = JSON.parse(text);
            const edits: WireEdit[] = [];
            for (const place of places) {
              const entry = codec.decode(valueAt(document, place), entries.length);
              entries.push(entry);
              expect(isUnderstood(entry), JSON.stringify(entry.wire).slice(0, 300)).toBe(true);
              expect(editObject(entry.wire, codec.edit(entry, []))).toBe(entry.wire);
              const changes = possibleChanges(entry, entries.length).map(({ change }) => change);
              for (const edit of codec.edit(entry, changes))
                edits.push({ ...edit, at: [...place, ...edit.at] });
            }
            expect(editText(text, [])).toBe(text);
            const edited = editObject(document, edits);
            if (edited !== undefined) expect(JSON.parse(editText(text, edits)!)).toEqual(edited);
          }
          expect(entries.length).toBeGreaterThan(0);
          for (const to of others) {
            expect(
              convertMessages(entries, codec, to).messages.length,
              `${file} in ${to.name}`,
            ).toBeGreaterThan(0);
          }
        }
      });
    }
  },
);

/** Nothing opaque but a provider's compaction and blocks that only name something. */
function isUnderstood({ parts }: Entry): boolean {
  return parts.every((part) => part.type !== 'opaque' || part.isBarrier === true);
}
