import { countOf, isObject, listOf, objectOf, textOf } from '../../recording/json-value.ts';
import { isMessage } from '../../wire/message-shapes.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type { LinesDocument, Origin } from '../../recording/recording.ts';

/** One item of the history that Codex sends. */
export interface Item {
  readonly message: WireObject;
  readonly origin: Origin;
  /** Index of the line it comes from. */
  readonly line: number;
  /** Copied into the history by a compaction: what was measured before it says nothing about it. */
  readonly isReplacement: boolean;
}

interface Replayed {
  readonly active: readonly Item[];
  /** Histories that a compaction replaced, newest first. */
  readonly archived: readonly (readonly Item[])[];
  /** Histories whose last turns were rolled back, newest first. */
  readonly branches: readonly (readonly Item[])[];
}

const maxApart = 50;

/** Replays a rollout in file order. Whole: no compaction replaces anything, the provider's own items stay out. */
export function replayRollout(document: LinesDocument, isWhole: boolean): Replayed {
  let active: Item[] = [];
  const archived: (readonly Item[])[] = [];
  const branches: (readonly Item[])[] = [];
  for (const [line, { value }] of document.lines.entries()) {
    if (!isObject(value)) continue;
    if (isBareItem(value)) {
      active.push({ message: value, origin: { type: 'line', line, at: [] }, line, isReplacement: false });
      continue;
    }
    const payload = objectOf(value['payload']);
    if (value['type'] === 'response_item' && isSent(payload)) {
      active.push({
        message: payload,
        origin: { type: 'line', line, at: ['payload'] },
        line,
        isReplacement: false,
      });
    } else if (value['type'] === 'compacted' && !isWhole) {
      archived.push(active);
      active = compacted(payload, line, active);
    } else if (value['type'] === 'event_msg' && payload['type'] === 'thread_rolled_back' && !isWhole) {
      branches.push(active);
      active = withoutLastTurns(active, countOf(payload['num_turns']));
    }
  }
  return { active, archived: newestFirst(archived), branches: newestFirst(branches) };
}

function newestFirst<Part>(parts: readonly Part[]): readonly Part[] {
  return parts.slice(-maxApart).toReversed();
}

/** Snapshots of the work tree are in the history but never sent. */
function isSent(payload: WireObject): boolean {
  const isItem = textOf(payload['type']) !== undefined || textOf(payload['role']) !== undefined;
  return isItem && payload['type'] !== 'ghost_snapshot';
}

function compacted(payload: WireObject, line: number, before: readonly Item[]): Item[] {
  const replacement = payload['replacement_history'];
  if (Array.isArray(replacement)) {
    return replacement.flatMap((message, index) => {
      if (!isObject(message) || !isSent(message)) return [];
      const origin: Origin = { type: 'line', line, at: ['payload', 'replacement_history', index] };
      return [{ message, origin, line, isReplacement: true }];
    });
  }
  // Rollouts of older versions: Codex rebuilds the history from the user's messages and the summary.
  const text = textOf(payload['message']) ?? '(no summary available)';
  const summary = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  const kept = before
    .filter(({ message }) => isRequest(message))
    .map((item) => ({ ...item, isReplacement: true }));
  return [...kept, { message: summary, origin: { type: 'composed' }, line, isReplacement: true }];
}

function withoutLastTurns(items: readonly Item[], turns: number): Item[] {
  let end = items.length;
  for (let left = turns; left > 0; left -= 1) {
    const start = items.slice(0, end).findLastIndex(({ message }) => isRequest(message));
    if (start < 0) break;
    end = start;
  }
  return items.slice(0, end);
}

const contextStarts = [
  '<environment_context>',
  '<user_instructions>',
  '# AGENTS.md instructions',
  '<turn_aborted>',
  '<user_shell_command>',
  '<subagent_notification>',
  '<skill>',
];

/** A message that the user wrote, not one that Codex puts beside it. */
function isRequest(message: WireObject): boolean {
  if (message['type'] !== 'message' || message['role'] !== 'user') return false;
  const first = objectOf(listOf(message['content'])[0]);
  const text = textOf(first['text']) ?? '';
  return !contextStarts.some((start) => text.trimStart().startsWith(start));
}

/** The first line of an early rollout, in which the items stand by themselves and not in a payload. */
export function isBareHead(value: WireObject): boolean {
  return (
    typeof value['id'] === 'string' &&
    typeof value['timestamp'] === 'string' &&
    'instructions' in value &&
    value['type'] === undefined &&
    value['role'] === undefined &&
    value['model'] === undefined
  );
}

/** A mark of such a rollout, that says nothing. */
export function isState(value: WireObject): boolean {
  return value['record_type'] === 'state';
}

/** An item of such a rollout. In another file it may be anybody's. */
export function isBareItem(value: unknown): value is WireObject {
  return isObject(value) && value['payload'] === undefined && isMessage(value);
}

export function adoptsBareItem(value: unknown, recognisedBy: unknown): boolean {
  const isBare = isObject(recognisedBy) && (isBareHead(recognisedBy) || isState(recognisedBy));
  return isBare && isBareItem(value);
}
