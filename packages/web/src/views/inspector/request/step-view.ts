import type { Inspected, StepIndex } from '../../../inspect/inspected.ts';
import type { InspectorActions } from '../../../data/inspected.ts';

export interface InspectorViewProps {
  readonly inspected: Inspected;
  /** What can be done; `null` where there is only a file. */
  readonly actions: InspectorActions | null;
  readonly sessionId?: string;
  /** A recall id to begin at, as `m12`. */
  readonly place?: string | undefined;
}

/** What every tab gets: all that is known, and which request is looked at. */
export interface StepViewProps extends InspectorViewProps {
  readonly step: StepIndex;
}
