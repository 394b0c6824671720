import type { Entry, Part } from '../transcript/entry.ts';
import type { PartChange } from '../codecs/codec.ts';
import type { PartLevelChange } from './change.ts';

type PartOf<Type extends Part['type']> = Extract<Part, { type: Type }>;
type Row<Type extends PartLevelChange['type']> = (
  change: Extract<PartLevelChange, { type: Type }>,
  part: Part,
) => PartChange | undefined;

/** What each change asks of the codec; `undefined` where the part is of another kind than the change was made for. */
const rows: { readonly [Type in PartLevelChange['type']]: Row<Type> } = {
  'result-truncated': ({ text, keepMedia }, part) =>
    is(part, 'result') ? { type: 'replace-result', part, text, keepMedia } : undefined,
  'result-pruned': ({ text }, part) =>
    is(part, 'result') ? { type: 'replace-result', part, text, keepMedia: false } : undefined,
  'arguments-pruned': ({ values }, part) =>
    is(part, 'call') ? { type: 'replace-arguments', part, values } : undefined,
  'text-truncated': ({ text }, part) => (is(part, 'text') ? { type: 'replace-text', part, text } : undefined),
  'media-dropped': ({ text }, part) =>
    is(part, 'media') ? { type: 'replace-media', part, text } : undefined,
  'reasoning-dropped': (_change, part) =>
    is(part, 'reasoning') ? { type: 'drop-reasoning', part } : undefined,
};

function is<Type extends Part['type']>(part: Part, type: Type): part is PartOf<Type> {
  return part.type === type;
}

/** The changes of one message, as its codec takes them. */
export function toPartChanges(entry: Entry, changes: readonly PartLevelChange[]): PartChange[] {
  return changes.flatMap((change) => {
    const part = entry.parts[change.anchor.part];
    return part ? (toPartChange(change, part) ?? []) : [];
  });
}

function toPartChange<Type extends PartLevelChange['type']>(
  change: Extract<PartLevelChange, { type: Type }>,
  part: Part,
): PartChange | undefined {
  const row = rows[change.type];
  return row(change, part);
}
