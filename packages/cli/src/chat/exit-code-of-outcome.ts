import { exitCode } from '../exit-code.ts';
import { exitCodeOfError } from '../failure.ts';
import type { ExitCode } from '../exit-code.ts';
import type { ModelFinish } from '@throughline/ports';
import type { RunOutcome } from '@throughline/agent';

/** An answer that is cut or refused is not what was asked for. */
const finishCodes: Readonly<Record<ModelFinish, ExitCode>> = {
  stop: exitCode.ok,
  'tool-calls': exitCode.ok,
  paused: exitCode.ok,
  other: exitCode.ok,
  length: exitCode.notGood,
  'window-full': exitCode.notGood,
  refusal: exitCode.notGood,
};

const outcomeCodes: Readonly<Record<Exclude<RunOutcome['type'], 'completed' | 'broken'>, ExitCode>> = {
  cancelled: exitCode.interrupted,
  limit: exitCode.notGood,
  failed: exitCode.notGood,
  'cannot-fit': exitCode.notGood,
  lost: exitCode.notGood,
};

/** How a program ends whose run ended so. */
export function exitCodeOfOutcome(outcome: RunOutcome): ExitCode {
  if (outcome.type === 'completed') return finishCodes[outcome.finish];
  return outcome.type === 'broken' ? exitCodeOfError(outcome.code) : outcomeCodes[outcome.type];
}
