import type { Change } from '@throughline/core/types';
import type { InspectedPass, PassKind } from '../inspected.ts';

type Unnamed = Omit<InspectedPass, 'kind' | 'name'>;

/** Passes with what each is called: those of one kind are counted from 1, those that were undone among them. */
export function namedPasses(passes: readonly Unnamed[]): readonly InspectedPass[] {
  const counts = new Map<PassKind, number>();
  return passes.map((pass): InspectedPass => {
    const kind = kindOf(pass.checkpoint.changes);
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return { ...pass, kind, name: `${kind} ${count}` };
  });
}

const kinds: Readonly<Record<Change['type'], PassKind>> = {
  'range-compacted': 'compaction',
  'range-dropped': 'compaction',
  'result-pruned': 'pruning',
  'arguments-pruned': 'pruning',
  'reasoning-dropped': 'pruning',
  'media-dropped': 'pruning',
  'result-truncated': 'truncation',
  'text-truncated': 'truncation',
};

/** What weighs most of all that it did. */
function kindOf(changes: readonly Change[]): PassKind {
  const found = new Set(changes.map(({ type }) => kinds[type]));
  if (found.has('compaction') || found.size === 0) return 'compaction';
  return found.has('pruning') ? 'pruning' : 'truncation';
}
