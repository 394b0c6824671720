import { injectedKind } from '../transcript/injected-text.ts';
import type { CarriedMessage, SummaryRecord } from '../transcript/summary-record.ts';

/**
 * The newest request of the user among the messages of a record, where it is newer than the newest one that the view
 * shows: one that came along with results and went with them.
 */
export function latestInRecord(
  { userMessages }: Pick<SummaryRecord, 'userMessages'>,
  latestShown = Infinity,
): CarriedMessage | undefined {
  let latest: CarriedMessage | undefined;
  let newest = latestShown;
  for (const message of userMessages) {
    const ordinal = Number(message.recallId.slice(1));
    if (!(ordinal > newest) || injectedKind(message.text) !== undefined) continue;
    newest = ordinal;
    latest = message;
  }
  return latest;
}
