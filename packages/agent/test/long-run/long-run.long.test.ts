import { isDeepRun } from '@throughline/testkit';
import { expect, it } from 'vitest';
import { runLong } from './run-long.ts';

const { LONG_RUN, LONG_RUN_SEED = '20261121' } = process.env;
const isLong = LONG_RUN === '1';
const seed = LONG_RUN_SEED === 'random' ? Date.now() % 1e6 : Number(LONG_RUN_SEED);

// The whole form is an extra: `LONG_RUN=1 npm run vitest -- run long-run`; a fault prints its seed.
const short = isDeepRun ? { steps: 100, kills: 4 } : { steps: 40, kills: 2 };
const size = isLong ? { steps: 2_000, kills: 20 } : short;

it(
  `${size.steps} steps in a window of 16k, killed ${size.kills} times: every request is valid and within the window, no tool runs twice, nothing that was sent is lost`,
  { timeout: isLong ? 1_800_000 : 240_000 },
  async () => {
    const { faults, folder, orders } = await runLong({ seed, ...size });
    expect(faults, `LONG_RUN_SEED=${seed}, ${folder}, ${JSON.stringify(orders)}`).toEqual([]);
  },
);
