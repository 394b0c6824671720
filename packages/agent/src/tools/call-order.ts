import type { PreparedCall, Touches } from './tool.ts';

/** Calls that may overlap in time, or one that runs alone; both by index. */
export type Segment =
  | { readonly type: 'together'; readonly indices: readonly number[] }
  | { readonly type: 'alone'; readonly index: number };

/** Splits calls, in their order, at each one that may touch anything. */
export function segmentsOf(touches: readonly PreparedCall['touches'][]): Segment[] {
  const segments: Segment[] = [];
  let indices: number[] = [];
  const close = (): void => {
    if (indices.length > 0) segments.push({ type: 'together', indices });
    indices = [];
  };
  for (const [index, one] of touches.entries()) {
    if (one !== 'anything') indices.push(index);
    else {
      close();
      segments.push({ type: 'alone', index });
    }
  }
  close();
  return segments;
}

/** Whether the later of two calls has to wait for the earlier one: both touch one place, and one of them writes it. */
export function mustWait(earlier: Touches, later: Touches): boolean {
  return (
    meet(earlier.writes, later.writes) ||
    meet(earlier.writes, later.reads) ||
    meet(earlier.reads, later.writes)
  );
}

function meet(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => one === other || holds(one, other) || holds(other, one)));
}

/** A folder holds what lies below it. */
function holds(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
