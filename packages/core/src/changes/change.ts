import { isObject } from '../json/json.ts';
import type { ArgumentText } from '../codecs/codec.ts';
import type { OrdinalRun, RangeId, RecallId } from '../transcript/entry.ts';
import type { FactIndex, Summary } from '../transcript/summary.ts';

/** Ties a change to one part of one message, so that it finds it again in a history that was sent anew. */
export interface PartAnchor {
  /** Position in the full history when the change was made: a hint, checked first. */
  readonly ordinal: number;
  /** Index of the part among the entry's parts. */
  readonly part: number;
  /** Fingerprint of the part's own canonical content. */
  readonly fingerprint: string;
}

/** A run of messages in full-history positions, and those of them that stay in the view. */
export interface TakenRange extends OrdinalRun {
  /** Ordinals inside the range that stay in the view before what replaces it: the task. */
  readonly lead: readonly number[];
  /** Ordinals inside the range that stay in the view after what replaces it, in their order: latest request, pins. */
  readonly kept: readonly number[];
}

/** Ties a change to such a range. */
export interface RangeAnchor extends TakenRange, RangeId {}

/** Says of a message, by its ordinal, whether a range takes it out of the view: it lies inside and does not stay. */
export function takesOut({ first, end, lead, kept }: TakenRange): (ordinal: number) => boolean {
  const stays = new Set([...lead, ...kept]);
  return (ordinal) => ordinal >= first && ordinal < end && !stays.has(ordinal);
}

/**
 * Who says a summary. `pair`, and `assistant` alike: the assistant, in answer to the real first request, with a note in
 * the user's place behind it where the user does not speak next. `user`: the user, which it is without a request, too.
 */
export type Injection = 'pair' | 'assistant' | 'user';

export type ChangeReason =
  | 'truncation' // too large for its share before its first send
  | 'duplicate' // the same thing was read again later
  | 'old-output'
  | 'old-arguments'
  | 'space' // the history had to become smaller
  | 'reviewed' // a model decided that it is not needed any more, or not so much of it
  | 'oversized' // larger than the share of the window one item may take
  | 'binding' // signed reasoning behind an edited prefix
  | 'manual';

interface ChangeBase {
  readonly reason: ChangeReason;
  /**
   * Estimated tokens of what the change touches: as the view showed it when the step began, and with the change, a note
   * behind a summary included. The changes of a step add up to what the step saved.
   */
  readonly beforeTokens: number;
  readonly afterTokens: number;
  /** Under which the original can be fetched again. */
  readonly recallId: RecallId;
}

/** The only way to alter a view. Plain JSON; replayed on the same history it gives the same bytes. */
export type Change = ChangeBase &
  (
    | {
        readonly type: 'result-truncated';
        readonly anchor: PartAnchor;
        readonly text: string;
        readonly keepMedia: boolean;
      }
    | { readonly type: 'result-pruned'; readonly anchor: PartAnchor; readonly text: string }
    | {
        readonly type: 'arguments-pruned';
        readonly anchor: PartAnchor;
        readonly values: readonly ArgumentText[];
      }
    | { readonly type: 'text-truncated'; readonly anchor: PartAnchor; readonly text: string }
    | { readonly type: 'media-dropped'; readonly anchor: PartAnchor; readonly text: string }
    | { readonly type: 'reasoning-dropped'; readonly anchor: PartAnchor }
    | {
        readonly type: 'range-compacted';
        readonly anchor: RangeAnchor;
        /** The text of the summary message, as sent. */
        readonly text: string;
        /** Names and numbers of the range, by message, in a message behind the summary; `null` where there are none. */
        readonly factIndex: FactIndex | null;
        readonly injection: Injection;
        readonly summary: Summary;
      }
    | {
        readonly type: 'range-dropped';
        readonly anchor: RangeAnchor;
        /** One sentence that says what was left out. */
        readonly text: string;
        readonly injection: Injection;
        /** Not shown; the next compaction starts from it, so that nothing is forgotten. */
        readonly summary: Summary;
      }
  );

type ChangeType = Change['type'];
export type RangeChange = Extract<Change, { anchor: RangeAnchor }>;
export type PartLevelChange = Exclude<Change, RangeChange>;

/**
 * What tells one change from another, as text: its kind, its place and what it writes there. Two changes with the
 * same key do the same thing, whatever the order of their fields is after a way through JSON or a database.
 */
export function changeKey(change: Change): string {
  const place = isRangeChange(change)
    ? [
        change.anchor.first,
        change.anchor.end,
        change.anchor.fingerprint,
        change.anchor.lead,
        change.anchor.kept,
      ]
    : [change.anchor.ordinal, change.anchor.part, change.anchor.fingerprint];
  return JSON.stringify([change.type, place, change.beforeTokens, change.afterTokens, writtenBy(change)]);
}

function writtenBy(change: Change): unknown {
  if (change.type === 'reasoning-dropped') return null;
  if (change.type === 'arguments-pruned') return change.values.map(({ at, text, more }) => [at, text, more]);
  return change.type === 'range-compacted' ? [change.text, change.factIndex?.text ?? null] : change.text;
}

/** The changes of one list that the other one lacks, in order; by what they do, not by identity. */
export function changesNotIn(changes: readonly Change[], others: readonly Change[]): readonly Change[] {
  if (changes === others) return [];
  const same = new Set(others);
  const rest = changes.filter((change) => !same.has(change));
  if (rest.length === 0) return rest;
  const mine = new Set(changes);
  const keys = new Set(others.filter((other) => !mine.has(other)).map(changeKey));
  return keys.size === 0 ? rest : rest.filter((change) => !keys.has(changeKey(change)));
}

/** Whether two lists hold the same changes in the same order. */
export function sameChanges(first: readonly Change[], second: readonly Change[]): boolean {
  if (first === second) return true;
  if (first.length !== second.length) return false;
  return first.every((change, index) => isSameChange(change, second[index]));
}

function isSameChange(change: Change, other: Change | undefined): boolean {
  return change === other || (other !== undefined && changeKey(change) === changeKey(other));
}

type Fields = Readonly<Record<string, unknown>>;

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isOrdinals = (value: unknown): boolean => Array.isArray(value) && value.every(isNumber);

function isRuns(runs: unknown): boolean {
  return (
    Array.isArray(runs) &&
    runs.every((run) => isObject(run) && isNumber(run['first']) && isNumber(run['end']))
  );
}

function isPartAnchor(anchor: unknown): boolean {
  return (
    isObject(anchor) &&
    isNumber(anchor['ordinal']) &&
    isNumber(anchor['part']) &&
    typeof anchor['fingerprint'] === 'string'
  );
}

function isRangeAnchor(anchor: unknown): boolean {
  return (
    isObject(anchor) &&
    isNumber(anchor['first']) &&
    isNumber(anchor['end']) &&
    typeof anchor['fingerprint'] === 'string' &&
    isOrdinals(anchor['lead']) &&
    isOrdinals(anchor['kept']) &&
    (anchor['runs'] === undefined || isRuns(anchor['runs']))
  );
}

const hasText = ({ text }: Fields): boolean => typeof text === 'string';
const isWritten = (change: Fields): boolean => hasText(change) && isPartAnchor(change['anchor']);
const isRange = (change: Fields): boolean =>
  hasText(change) && isRangeAnchor(change['anchor']) && isObject(change['summary']);

const isIndex = (index: unknown): boolean =>
  index === null || (isObject(index) && hasText(index) && isNumber(index['tokens']));

const isArgumentText = (value: Fields): boolean =>
  hasText(value) && Array.isArray(value['at']) && (value['more'] === undefined || isNumber(value['more']));

/** What a change of each type cannot do without. A new type does not compile without a row. */
const guards: { readonly [Type in ChangeType]: (change: Fields) => boolean } = {
  'result-truncated': isWritten,
  'result-pruned': isWritten,
  'text-truncated': isWritten,
  'media-dropped': isWritten,
  'arguments-pruned': ({ anchor, values }) =>
    isPartAnchor(anchor) &&
    Array.isArray(values) &&
    values.every((value) => isObject(value) && isArgumentText(value)),
  'reasoning-dropped': ({ anchor }) => isPartAnchor(anchor),
  'range-compacted': (change) => isRange(change) && isIndex(change['factIndex']),
  'range-dropped': isRange,
};

/** Whether a value that came from outside can be replayed as a change. Its anchors are checked at replay. */
export function isChange(value: unknown): value is Change {
  if (!isObject(value) || typeof value['type'] !== 'string' || !Object.hasOwn(guards, value['type']))
    return false;
  const isMeasured = isNumber(value['beforeTokens']) && isNumber(value['afterTokens']);
  return isMeasured && guards[value['type'] as ChangeType](value);
}

export function isRangeChange(change: Change): change is RangeChange {
  return change.type === 'range-compacted' || change.type === 'range-dropped';
}
