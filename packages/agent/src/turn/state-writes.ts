import type { Json, Ready } from '@throughline/core';
import type { RunWrite } from '@throughline/ports';

/** What a step of the engine leaves behind: a checkpoint with everything that belongs to it, or the state alone. */
export function stateWrites({ checkpoint, state, report }: Ready): readonly RunWrite[] {
  if (!checkpoint) return [{ type: 'state', state }];
  const cost: Json = report.cost && { ...report.cost };
  return [{ type: 'checkpoint', checkpoint, state, ...(cost === null ? {} : { cost }) }];
}
