import { upgradeChange, upgradeCheckpoint, upgradeState } from '@throughline/core';

type Fields = Readonly<Record<string, unknown>>;

/** What the engine wrote in a line of an export, in the words of today: exports of format 1 have those of before. */
export function upgraded(fields: Fields): Fields {
  const { state, change, checkpoint } = fields;
  return {
    ...fields,
    ...(state !== undefined && { state: upgradeState(state) }),
    ...(change !== undefined && { change: upgradeChange(change) }),
    ...(checkpoint !== undefined && { checkpoint: upgradeCheckpoint(checkpoint) }),
  };
}
