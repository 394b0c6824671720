import type { Inspected, InspectedPass } from '../inspected.ts';

/** A compaction in the tree of all: those that were taken back are branches beside what is in force. */
export interface PassNode {
  readonly pass: InspectedPass;
  /** How often its way parts from the one that went on. */
  readonly depth: number;
  /** `head`: the newest in force; `in-force`: one before it; `redoable`: `redo` puts it in force; `undone`: neither. */
  readonly state: 'head' | 'in-force' | 'redoable' | 'undone';
  /** Oldest first, but for the one that went on: it is the last. */
  readonly children: readonly PassNode[];
}

/** What was made before anything else, oldest first; one whose parent is not known stands there too. */
export function passTree({ passes }: Pick<Inspected, 'passes'>): readonly PassNode[] {
  const ids = new Set(passes.map(({ id }) => id));
  const byParent = Map.groupBy(passes, ({ parent }) => (parent !== null && ids.has(parent) ? parent : null));
  const placed = new Set<string>();
  const built = new Set(passes.flatMap(({ parent, isInForce }) => (isInForce ? [parent] : [])));
  const nodesUnder = (parent: string | null, depth: number): readonly PassNode[] =>
    mainLast(byParent.get(parent) ?? []).flatMap((pass, at, all) => {
      // An id that leads back to itself ends the way.
      if (placed.has(pass.id)) return [];
      placed.add(pass.id);
      const own = at === all.length - 1 ? depth : depth + 1;
      return [{ pass, depth: own, state: stateOf(pass, built), children: nodesUnder(pass.id, own) }];
    });
  return nodesUnder(null, 0);
}

/** What is in force went on, else what can be put in force again, else the newest. */
function mainLast(passes: readonly InspectedPass[]): readonly InspectedPass[] {
  const main =
    passes.find(({ isInForce }) => isInForce) ?? passes.find(({ canRedo }) => canRedo) ?? passes.at(-1);
  return main ? [...passes.filter((pass) => pass !== main), main] : [];
}

/** @param built those on which one in force was made */
function stateOf(
  { id, canRedo, isInForce }: InspectedPass,
  built: ReadonlySet<string | null>,
): PassNode['state'] {
  if (isInForce) return built.has(id) ? 'in-force' : 'head';
  return canRedo ? 'redoable' : 'undone';
}

/** The tree as rows, each behind its parent. */
export function passRows(nodes: readonly PassNode[]): readonly PassNode[] {
  return nodes.flatMap((node) => [node, ...passRows(node.children)]);
}
