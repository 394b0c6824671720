import type { Inspected, InspectedPass } from '../inspected.ts';

/** A compaction in the tree of all: those that were taken back are branches beside what is in force. */
export interface PassNode {
  readonly pass: InspectedPass;
  /** How many stand before it on its way. */
  readonly depth: number;
  /** `head`: the newest in force; `in-force`: one before it; `redoable`: `redo` puts it in force; `undone`: neither. */
  readonly state: 'head' | 'in-force' | 'redoable' | 'undone';
  /** Oldest first. */
  readonly children: readonly PassNode[];
}

/** What was made before anything else, oldest first; one whose parent is not known stands there too. */
export function passTree({ passes }: Pick<Inspected, 'passes'>): readonly PassNode[] {
  const ids = new Set(passes.map(({ id }) => id));
  const byParent = Map.groupBy(passes, ({ parent }) => (parent !== null && ids.has(parent) ? parent : null));
  const placed = new Set<string>();
  const nodesUnder = (parent: string | null, depth: number): readonly PassNode[] =>
    (byParent.get(parent) ?? []).flatMap((pass) => {
      // An id that leads back to itself ends the way.
      if (placed.has(pass.id)) return [];
      placed.add(pass.id);
      return [{ pass, depth, state: stateOf(pass), children: nodesUnder(pass.id, depth + 1) }];
    });
  return nodesUnder(null, 0);
}

function stateOf({ canUndo, canRedo, isInForce }: InspectedPass): PassNode['state'] {
  if (canUndo) return 'head';
  if (isInForce) return 'in-force';
  return canRedo ? 'redoable' : 'undone';
}

/** The tree as rows, each behind its parent. */
export function passRows(nodes: readonly PassNode[]): readonly PassNode[] {
  return nodes.flatMap((node) => [node, ...passRows(node.children)]);
}
