import { formatCost, formatCount, formatTokens } from '../../parts/format.ts';
import { useSpent } from '../../data/trace/use-spent.ts';
import type { Spent } from '../../data/trace/spent.ts';

/** The cost of a session in a word, where it is known: list prices are not what a bill says. */
export function SessionCost({ sessionId }: { readonly sessionId: string }) {
  const spent = useSpent(sessionId);
  if (spent.state !== 'ready' || spent.value.priced === 0) return null;
  return (
    <span className="max-xl:hidden" data-cost>
      <span className="sr-only">, this session cost </span>≈ {formatCost(spent.value.usd)}
    </span>
  );
}

/** What all steps of a session have taken together, whatever was compacted, undone or asked of another model since. */
export function SessionSpent({ sessionId }: { readonly sessionId: string }) {
  const spent = useSpent(sessionId);
  if (spent.state !== 'ready' || spent.value.steps === 0) return null;
  return (
    <section aria-label="This session so far" className="flex flex-col gap-1">
      <h3 className="font-semibold">This session so far</h3>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 tabular-nums">
        {rowsOf(spent.value).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-faint">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function rowsOf(spent: Spent): readonly (readonly [string, string])[] {
  const { steps, uncounted, inputTokens, cacheReadTokens, outputTokens, usd, priced } = spent;
  const isEstimate = uncounted > 0;
  const share = inputTokens === 0 ? 0 : Math.round((cacheReadTokens / inputTokens) * 100);
  const unpriced = steps - uncounted - priced;
  const left = unpriced === 0 ? '' : `, without ${formatCount(unpriced)} of models whose price is not known`;
  return [
    ['Steps', `${formatCount(steps)}${uncounted === 0 ? '' : `, ${formatCount(uncounted)} not counted`}`],
    ...(uncounted === steps
      ? []
      : ([
          ['Read', `${formatTokens(inputTokens, isEstimate)} tokens, ${share} % from the cache`],
          ['Written', `${formatTokens(outputTokens, isEstimate)} tokens`],
        ] as const)),
    ...(priced === 0 ? [] : ([['Cost', `≈ ${formatCost(usd)} by list prices${left}`]] as const)),
  ];
}
