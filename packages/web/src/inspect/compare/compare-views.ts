import { requestAt, viewBehind } from '../request-at.ts';
import type { ViewItem } from '@throughline/core/types';
import type { Inspected, StepIndex } from '../inspected.ts';
import type { RequestAt } from '../request-at.ts';

/** A view: that of a step, or the one of now behind a compaction; `null`: before the first. */
export type ViewChoice = { readonly step: StepIndex } | { readonly pass: string | null };

/** One place of two views, in the order of the history. */
export interface ViewRow {
  readonly state: 'same' | 'changed' | 'only-left' | 'only-right';
  readonly left: ViewItem | null;
  readonly right: ViewItem | null;
}

interface ComparedViews {
  readonly left: RequestAt;
  readonly right: RequestAt;
  readonly rows: readonly ViewRow[];
}

/** Any two views side by side. */
export function compareViews(inspected: Inspected, left: ViewChoice, right: ViewChoice): ComparedViews {
  const [from, to] = [chosen(inspected, left), chosen(inspected, right)];
  return { left: from, right: to, rows: rowsOf(from, to) };
}

function chosen(inspected: Inspected, choice: ViewChoice): RequestAt {
  return 'step' in choice ? requestAt(inspected, choice.step) : viewBehind(inspected, choice.pass);
}

/** Items of both keep their order; where neither says which comes first, those of the left do. */
function rowsOf({ items: left }: RequestAt, { items: right }: RequestAt): readonly ViewRow[] {
  const places = new Map(right.map((item, index) => [keyOf(item), index]));
  const rows: ViewRow[] = [];
  let next = 0;
  const takeRight = (end: number): void => {
    for (; next < end; next += 1) rows.push({ state: 'only-right', left: null, right: right[next] ?? null });
  };
  for (const item of left) {
    const place = places.get(keyOf(item));
    // What stands in another order on the right was told already.
    if (place === undefined || place < next) {
      rows.push({ state: 'only-left', left: item, right: null });
      continue;
    }
    takeRight(place);
    const other = right[place] ?? null;
    rows.push({ state: other && isSame(item, other) ? 'same' : 'changed', left: item, right: other });
    next = place + 1;
  }
  takeRight(right.length);
  return rows;
}

function keyOf(item: ViewItem): string {
  if (item.type === 'entry') return `m${item.entry.ordinal}`;
  const { first, end } = item.change.anchor;
  return `${item.item.kind} ${first} ${end} ${textOf(item)}`;
}

function textOf({ item }: Extract<ViewItem, { readonly type: 'synthetic' }>): string {
  return item.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
}

function isSame(left: ViewItem, right: ViewItem): boolean {
  if (left.type !== 'entry' || right.type !== 'entry') return left.type === right.type;
  const written = ({ changes }: typeof left): string =>
    JSON.stringify(
      changes.map(({ type, anchor, ...rest }) => [
        type,
        anchor.part,
        'text' in rest ? rest.text : 'values' in rest ? rest.values : null,
      ]),
    );
  return written(left) === written(right);
}
