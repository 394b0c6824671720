import fc from 'fast-check';

/** Small cases are found early, and what comes after them is worth no minutes: bounded by count, not by a clock. */
const mostShrinks = 400;
/** How many cases of each law are tried: `npm run test:fast` says a few, `npm run test:deep` says `all`. */
const asked = process.env['THROUGHLINE_LAW_ROUNDS'];
const isDeep = asked === 'all';
const rounds = isDeep ? Infinity : Number(asked ?? Infinity);

/** `everyCase` of the testkit sets it. */
const everyCaseKey = Symbol.for('throughline:every-case');
/** `everyday` of the testkit sets it. */
const everydayCasesKey = Symbol.for('throughline:everyday-cases');

interface Most {
  readonly rounds: number;
  readonly shrinks: number;
  /** Dear laws, too, are tried with all of their cases. */
  readonly isDeep: boolean;
}

type Run = Parameters<NonNullable<fc.PluginInstance<unknown>['decorateRun']>>[0];
type Result = Awaited<ReturnType<Run>>;

/** One law on its way: which cases are tried, and which are passed over. */
export function boundedLaw(most: Most) {
  return (_: number, store: Parameters<fc.Plugin<unknown>>[1]): fc.PluginInstance<unknown> => {
    const everyday = (): number => (most.isDeep ? Infinity : Number(store.get(everydayCasesKey) ?? Infinity));
    const isEnough = (): boolean =>
      tried >= Math.min(most.rounds, everyday()) && store.get(everyCaseKey) !== true;
    let tried = 0;
    let shrinks: number | undefined;
    let last: fc.Value<unknown> | undefined;
    const counted = (result: Result): Result => {
      const isSkipped = fc.PreconditionFailure.isFailure(result);
      if (!isSkipped) tried += 1;
      if (!isSkipped && result !== null) shrinks ??= 0;
      return result;
    };
    return {
      // What is passed over need not be drawn either.
      decorateGenerate: (generate) => (random, runId) =>
        last && isEnough() ? last : (last = generate(random, runId)),
      decorateRun: (run) => (value) => {
        if (shrinks === undefined) {
          if (isEnough()) return null;
        } else if ((shrinks += 1) > most.shrinks) return new fc.PreconditionFailure(true);
        const result = run(value);
        return result instanceof Promise ? result.then(counted) : counted(result);
      },
    };
  };
}

fc.installGlobalPlugin(boundedLaw({ rounds, shrinks: mostShrinks, isDeep }));
