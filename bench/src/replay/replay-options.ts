import { parseArgs } from 'node:util';
import { setNames } from '../sessions/read-sessions.ts';

/** What one run of the replay bench is asked to do. Plain data: it goes to the workers as it is. */
export interface ReplayOptions {
  readonly folders: readonly string[];
  readonly budgets: readonly number[];
  readonly windowTokens: number;
  readonly outputReserveTokens: number;
  /** At most so many steps of a session are measured in full. */
  readonly maxSteps: number;
  /** Sets or parts of session names; empty: all. */
  readonly sets: readonly string[];
  /** Parts of names or kinds of contenders; empty: all. */
  readonly only: readonly string[];
  readonly reportsUsage: boolean;
  readonly withPeers: boolean;
  readonly workers: number;
  /** Where the missed uses of our contenders went is reported, too. */
  readonly listsMisses: boolean;
}

export interface ReplayArguments {
  readonly options: ReplayOptions;
  readonly asJson: boolean;
  /** Only the figures that the goals are stated in. */
  readonly isBrief: boolean;
}

export const replayUsage = `npm run bench:replay -- [DIR|FILE ...] [options]

  --budget 20k,40k,80k   trigger budgets B
  --set NAME             only this set (${setNames.join(', ')}) or sessions with NAME in their path; repeatable
  --only NAME            only contenders with NAME in their name, or of a kind: ours, peer, baseline; repeatable
  --steps N              measure at most N evenly spread steps of a session in full
  --window N             window of the model, 200k
  --reserve N            kept for the answer when overflow is judged, 32k
  --workers N            threads, 2
  --misses               list which uses were missed: from what kind of text, and what had become of it
  --no-usage             the engine is not told what each request measured
  --no-peers             without the packages of bench/peers
  --brief                print the recall tables only
  --json                 print the report as JSON`;

/** @throws a sentence when an option is unknown or no number. */
export function readArguments(args: readonly string[], defaultFolder: string): ReplayArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      budget: { type: 'string', default: '20k,40k,80k' },
      set: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', multiple: true, default: [] },
      steps: { type: 'string', default: '1000' },
      window: { type: 'string', default: '200k' },
      reserve: { type: 'string', default: '32k' },
      workers: { type: 'string', default: '2' },
      misses: { type: 'boolean', default: false },
      brief: { type: 'boolean', default: false },
      'no-usage': { type: 'boolean', default: false },
      'no-peers': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    options: {
      folders: positionals.length > 0 ? positionals : [defaultFolder],
      budgets: values.budget.split(',').map((text) => positive('--budget', text)),
      windowTokens: positive('--window', values.window),
      outputReserveTokens: positive('--reserve', values.reserve),
      maxSteps: positive('--steps', values.steps),
      sets: values.set,
      only: values.only,
      reportsUsage: !values['no-usage'],
      withPeers: !values['no-peers'],
      workers: positive('--workers', values.workers),
      listsMisses: values.misses,
    },
    asJson: values.json,
    isBrief: values.brief,
  };
}

function positive(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(k?)$/i.exec(text.trim());
  const value = match ? Number(match[1]) * (match[2] === '' ? 1 : 1_000) : Number.NaN;
  if (value > 0) return value;
  throw new Error(`Expected a number like 400 or 20k for ${option}, got "${text}".`);
}
