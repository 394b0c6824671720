import { ContextError } from '../errors/context-error.ts';
import type { Strategy } from './strategy.ts';

export interface StrategyOptions {
  /** `manual` makes any strategy wait for the user. */
  readonly trigger?: 'manual';
  /** Turns that `reactive-overflow`, `pruning-agent` and `digest` leave alone. Integer ≥ 1. @default 2 */
  readonly preserveLastNTurns?: number;
  /** Share of the trigger those turns may cost. From 0.01 to 0.9. @default 0.25 */
  readonly tailShare?: number;
  /** Messages that `threshold-tail` leaves alone. Integer ≥ 1. @default 10 */
  readonly recentMessagesToKeep?: number;
  /** Percentage of the view that `proactive-threshold` leaves alone. From 1 to 99. @default 30 */
  readonly keepPercent?: number;
  /** Percentage of the window at which a threshold strategy acts. From 1 to 100. Defaults: 50, 80, 80. */
  readonly thresholdPercent?: number;
}

const defaults = {
  preserveLastNTurns: 2,
  tailShare: 0.25,
  recentMessagesToKeep: 10,
  keepPercent: 30,
} as const;

type Resolved = StrategyOptions & { readonly [Key in keyof typeof defaults]: number };

/** Reserves of `threshold-tail`: system prompt, answer, safety; together never above 35 % of the window. */
const tailReserveTokens = 2_000 + 4_000 + 5_000;
const maxTailReserveShare = 0.35;

/** The built-in strategies by name. A new one is a new row. */
const strategies = {
  'reactive-overflow': (options: Resolved): Strategy => ({
    name: 'reactive-overflow',
    trigger: 'overflow',
    triggerAt: (usableTokens) => usableTokens,
    rungs: [
      { type: 'clear' },
      { type: 'fold', writer: 'model', keepsFirstTurn: false, keep: lastTurns(options) },
    ],
  }),
  'proactive-threshold': (options: Resolved): Strategy => ({
    name: 'proactive-threshold',
    trigger: 'threshold',
    triggerAt: (_usable, windowTokens) => (windowTokens * (options.thresholdPercent ?? 50)) / 100,
    rungs: [
      { type: 'clear' },
      {
        type: 'fold',
        writer: 'model',
        keepsFirstTurn: false,
        keep: { type: 'last-share', share: options.keepPercent / 100 },
      },
    ],
  }),
  'threshold-tail': (options: Resolved): Strategy => ({
    name: 'threshold-tail',
    trigger: 'threshold',
    triggerAt: (_usable, windowTokens) =>
      ((windowTokens - Math.min(tailReserveTokens, windowTokens * maxTailReserveShare)) *
        (options.thresholdPercent ?? 80)) /
      100,
    rungs: [
      { type: 'clear' },
      {
        type: 'fold',
        writer: 'model',
        keepsFirstTurn: false,
        keep: { type: 'last-messages', messages: options.recentMessagesToKeep },
      },
    ],
  }),
  'middle-removal': (options: Resolved): Strategy => ({
    name: 'middle-removal',
    trigger: 'threshold',
    triggerAt: (_usable, windowTokens) => (windowTokens * (options.thresholdPercent ?? 80)) / 100,
    rungs: [{ type: 'fold', writer: 'none', keepsFirstTurn: true, keep: { type: 'fill' } }],
  }),
  'pruning-agent': (options: Resolved): Strategy => ({
    name: 'pruning-agent',
    trigger: 'overflow',
    triggerAt: (usableTokens) => usableTokens,
    rungs: [
      { type: 'review' },
      { type: 'clear' },
      { type: 'fold', writer: 'model', keepsFirstTurn: false, keep: lastTurns(options) },
    ],
  }),
  digest: (options: Resolved): Strategy => ({
    name: 'digest',
    trigger: 'overflow',
    triggerAt: (usableTokens) => usableTokens,
    rungs: [
      { type: 'clear' },
      { type: 'fold', writer: 'digest', keepsFirstTurn: false, keep: lastTurns(options) },
    ],
  }),
} as const satisfies Record<string, (options: Resolved) => Strategy>;

export type StrategyName = keyof typeof strategies;

export const strategyNames = Object.keys(strategies) as readonly StrategyName[];

function lastTurns({ preserveLastNTurns, tailShare }: Resolved): {
  type: 'last-turns';
  turns: number;
  share: number;
} {
  return { type: 'last-turns', turns: preserveLastNTurns, share: tailShare };
}

/**
 * A built-in strategy by name.
 *
 * @throws {ContextError} `not-found` for an unknown name, `invalid-option` for an option outside its range.
 */
export function createStrategy(name: string, options: StrategyOptions = {}): Strategy {
  if (!Object.hasOwn(strategies, name)) {
    throw new ContextError('not-found', `Unknown strategy "${name}". Known: ${strategyNames.join(', ')}.`, {
      kind: 'strategy',
      id: name,
      known: strategyNames,
    });
  }
  const resolved = { ...defaults, ...options };
  requireWhole('preserveLastNTurns', resolved.preserveLastNTurns);
  requireWhole('recentMessagesToKeep', resolved.recentMessagesToKeep);
  requireRange('tailShare', resolved.tailShare, 0.01, 0.9);
  requireRange('keepPercent', resolved.keepPercent, 1, 99);
  if (resolved.thresholdPercent !== undefined)
    requireRange('thresholdPercent', resolved.thresholdPercent, 1, 100);
  const strategy = strategies[name as StrategyName](resolved);
  return options.trigger === 'manual' ? { ...strategy, trigger: 'manual' } : strategy;
}

function requireWhole(option: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) throw outOfRange(option, 'a whole number ≥ 1', value);
}

function requireRange(option: string, value: number, low: number, high: number): void {
  if (!(value >= low && value <= high)) throw outOfRange(option, `a number from ${low} to ${high}`, value);
}

function outOfRange(option: string, expected: string, value: unknown): ContextError<'invalid-option'> {
  return new ContextError('invalid-option', `Expected ${option} to be ${expected}, got ${String(value)}.`, {
    option,
    expected,
    received: value,
  });
}
