import type { Change, ChangeType } from './change.ts';

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isOrdinals = (value: unknown): boolean => Array.isArray(value) && value.every(isNumber);

function isRuns(runs: unknown): boolean {
  return (
    Array.isArray(runs) &&
    runs.every((run) => isFields(run) && isNumber(run['first']) && isNumber(run['end']))
  );
}

function isPartAnchor(anchor: unknown): boolean {
  return (
    isFields(anchor) &&
    isNumber(anchor['ordinal']) &&
    isNumber(anchor['part']) &&
    typeof anchor['fingerprint'] === 'string'
  );
}

function isRangeAnchor(anchor: unknown): boolean {
  return (
    isFields(anchor) &&
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
  hasText(change) && isRangeAnchor(change['anchor']) && isFields(change['summary']);

const isIndex = (index: unknown): boolean =>
  index === null || (isFields(index) && hasText(index) && isNumber(index['tokens']));

/** What a change of each type cannot do without. A new type does not compile without a row. */
const guards: { readonly [Type in ChangeType]: (change: Fields) => boolean } = {
  'result-truncated': isWritten,
  'result-pruned': isWritten,
  'text-truncated': isWritten,
  'media-dropped': isWritten,
  'arguments-pruned': ({ anchor, values }) =>
    isPartAnchor(anchor) &&
    Array.isArray(values) &&
    values.every((value) => isFields(value) && hasText(value) && Array.isArray(value['at'])),
  'reasoning-dropped': ({ anchor }) => isPartAnchor(anchor),
  'range-compacted': (change) => isRange(change) && isIndex(change['factIndex']),
  'range-dropped': isRange,
};

/** Whether a value that came from outside can be replayed as a change. Its anchors are checked at replay. */
export function isChange(value: unknown): value is Change {
  if (!isFields(value) || typeof value['type'] !== 'string' || !Object.hasOwn(guards, value['type']))
    return false;
  const isMeasured = isNumber(value['beforeTokens']) && isNumber(value['afterTokens']);
  return isMeasured && guards[value['type'] as ChangeType](value);
}
