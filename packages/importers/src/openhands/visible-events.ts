import { arrayOf, objectOf, textOf } from '../json-value.ts';
import type { ReadOptions } from '../format.ts';
import type { JsonObject } from '../json-value.ts';

/** The events that the agent still sees: without what its condensations forgot, and with the newest summary. */
export function visibleEvents(
  events: readonly JsonObject[],
  { isWhole }: ReadOptions,
): readonly JsonObject[] {
  const condensations = events
    .filter(({ action }) => action === 'condensation')
    .map(({ args }) => objectOf(args));
  if (isWhole || condensations.length === 0) return events;
  const listed = new Set(condensations.flatMap((one) => arrayOf(one['forgotten_event_ids'])));
  const left = events.filter(({ id }) => !listed.has(id) && !condensations.some((one) => spans(one, id)));
  const last = condensations.at(-1);
  const summary = textOf(last?.['summary']);
  if (summary === undefined) return left;
  const offset = last?.['summary_offset'];
  const said = { source: 'user', action: 'message', args: { content: summary } };
  return left.toSpliced(typeof offset === 'number' ? offset : 0, 0, said);
}

/** Instead of naming each event a condensation may name the first and the last. */
function spans(condensation: JsonObject, id: unknown): boolean {
  const { forgotten_events_start_id: first, forgotten_events_end_id: last } = condensation;
  return (
    typeof id === 'number' &&
    typeof first === 'number' &&
    typeof last === 'number' &&
    id >= first &&
    id <= last
  );
}
