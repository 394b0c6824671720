import { unknownLinesNote } from '../source/unknown-lines-note.ts';
import { openaiResponsesCodec } from '@throughline/core';
import { isBareHead, isBareItem, isState } from './bare-rollout.ts';
import { replayRollout } from './replay-rollout.ts';
import { usageOf } from './rollout-usage.ts';
import { countOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { Item } from './replay-rollout.ts';
import type { FormatReading, ReadOptions } from '../format.ts';
import type { JsonObject } from '../json-value.ts';
import type { RecordedSession, RecordingNote } from '../recording.ts';
import type { LinesDocument } from '../source/document.ts';

const lineTypes: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'inter_agent_communication',
  'world_state',
  'rollout_reference',
  'inter_agent_communication_metadata',
  'security_risk_score',
  'token_usage_record',
]);

export function ownsCodexLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (lineTypes.has(value['type']) && isObject(value['payload'])) || isBareHead(value) || isState(value);
}

/**
 * Reads a Codex rollout. Active is what Codex would send next: the newest `replacement_history` and the items after
 * it, with rolled-back turns taken out. Each history that a compaction replaced is an archived session, each
 * rolled-back one a branch. Usage stands with the response it was reported for.
 */
export function readCodexRollout(document: LinesDocument, options: ReadOptions): FormatReading {
  const { active, archived, branches } = replayRollout(document, options.isWhole);
  const meta = metaOf(document);
  const session = (items: readonly Item[], kind: RecordedSession['kind'], id: string): RecordedSession => ({
    id,
    kind,
    codec: openaiResponsesCodec,
    messages: items.map(({ message }) => message),
    origins: items.map(({ origin }) => origin),
    usage: usageOf(items, document),
    holdsWholePrompt: false,
    ...meta.details,
  });
  const sessions =
    active.length + archived.length === 0
      ? []
      : [
          session(active, 'active', meta.id),
          ...archived.map((items, index) => session(items, 'archived', `${meta.id}#archived-${index + 1}`)),
          ...branches.map((items, index) => session(items, 'branch', `${meta.id}#branch-${index + 1}`)),
        ];
  return { sessions, notes: notesOf(document) };
}

interface Meta {
  readonly id: string;
  readonly details: Pick<RecordedSession, 'system' | 'model' | 'windowTokens'>;
}

function metaOf(document: LinesDocument): Meta {
  const payloads = (type: string): JsonObject[] =>
    document.lines.flatMap(({ value }) =>
      isObject(value) && value['type'] === type ? [objectOf(value['payload'])] : [],
    );
  const meta = headOf(document);
  const instructions = objectOf(meta['base_instructions'])['text'] ?? meta['base_instructions'];
  // What older versions call instructions here are the user's own, which are sent as a message.
  const system = textOf(instructions);
  const model = textOf(payloads('turn_context').at(-1)?.['model']);
  const windowTokens = windowOf(payloads('event_msg'));
  return {
    id: textOf(meta['id']) ?? 'session',
    details: {
      ...(system === undefined ? {} : { system }),
      ...(model === undefined ? {} : { model }),
      ...(windowTokens === undefined ? {} : { windowTokens }),
    },
  };
}

/** What Codex itself went by, with every count and at the start of every turn. */
function windowOf(events: readonly JsonObject[]): number | undefined {
  const stated = events.flatMap((event) => [
    countOf(event['model_context_window']),
    countOf(objectOf(event['info'])['model_context_window']),
  ]);
  return stated.findLast((tokens) => tokens > 0);
}

function headOf({ lines }: LinesDocument): JsonObject {
  const values = lines.map(({ value }) => objectOf(value));
  const head = values.find(({ type }) => type === 'session_meta');
  return head ? objectOf(head['payload']) : (values.find(isBareHead) ?? {});
}

function notesOf(document: LinesDocument): RecordingNote[] {
  const strange = document.lines.filter(({ value }) => !ownsCodexLine(value) && !isBareItem(value));
  const [first] = strange;
  const base = textOf(objectOf(headOf(document)['history_base'])['thread_id']);
  return [
    ...(base === undefined
      ? []
      : [{ note: `it goes on from another file, that of ${base}, which is not read` }]),
    ...(first === undefined ? [] : [{ line: first.number, note: unknownLinesNote(strange.length) }]),
  ];
}
