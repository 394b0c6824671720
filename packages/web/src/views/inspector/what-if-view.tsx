import { Button } from '../../parts/button.tsx';
import { formatCost, formatCount, formatTokens } from '../../parts/format.ts';
import { useEffect, useState } from 'react';
import { whatIf } from '../../inspect/compare/what-if.ts';
import type { StepViewProps } from './request/step-view.ts';
import type { StrategyOutcome } from '../../inspect/compare/what-if.ts';

const stateWords: Readonly<Record<StrategyOutcome['state'], string>> = {
  compacted: 'compacts',
  'nothing-to-do': 'finds nothing to do',
  'cannot-fit': 'cannot make it fit',
};

/** All strategies on the request that is looked at. Nothing is sent, and no model is asked. */
export function WhatIfView({ inspected, step }: StepViewProps) {
  const [tried, setTried] = useState<{
    readonly step: unknown;
    readonly inspected: unknown;
    readonly outcomes: readonly StrategyOutcome[];
  }>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (!isBusy) return undefined;
    // The button says first that it works.
    const timer = setTimeout(() => {
      setTried({ step, inspected, outcomes: whatIf(inspected, step) });
      setBusy(false);
    }, 30);
    return () => clearTimeout(timer);
  }, [isBusy, inspected, step]);
  const outcomes = tried?.step === step && tried.inspected === inspected ? tried.outcomes : undefined;
  return (
    <div className="flex h-full flex-col gap-3 overflow-auto p-4">
      <p className="text-sm text-ink-soft">
        Each strategy compacts a copy of this request by itself, summaries written by code. Nothing is sent,
        nothing is stored.
      </p>
      <div>
        <Button look="primary" disabled={isBusy} onClick={() => setBusy(true)}>
          {isBusy ? 'Tries them …' : 'Try all strategies'}
        </Button>
      </div>
      {outcomes && <Outcomes outcomes={outcomes} />}
    </div>
  );
}

const heads = [
  'Outcome',
  'Tokens',
  'Messages gone',
  'Parts changed',
  'Prefix still cached',
  'Cost now',
  'Saved per step',
];

/** A line for each strategy; on a narrow page a card, which says at each value what it is. */
function Outcomes({ outcomes }: { readonly outcomes: readonly StrategyOutcome[] }) {
  return (
    <div className="md:overflow-x-auto" tabIndex={0} role="region" aria-label="Strategies side by side">
      {/* As cards its parts are no table to a browser any more: their roles say it. */}
      <table role="table" className="w-full text-sm max-md:block">
        <thead role="rowgroup" className="max-md:sr-only">
          <tr role="row">
            {['Strategy', ...heads].map((head) => (
              <th
                key={head}
                role="columnheader"
                scope="col"
                className="border-b border-line px-2 py-1 text-start text-xs text-ink-soft"
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-md:flex max-md:flex-col max-md:gap-3">
          {outcomes.map((outcome) => (
            <Outcome key={outcome.strategy} outcome={outcome} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Outcome({ outcome }: { readonly outcome: StrategyOutcome }) {
  return (
    <tr
      role="row"
      className="max-md:block max-md:rounded-lg max-md:border max-md:border-line max-md:bg-ground-soft max-md:p-2"
    >
      <th
        role="rowheader"
        scope="row"
        className="border-line px-2 py-1 text-start font-medium max-md:block md:border-b"
      >
        {outcome.strategy}
      </th>
      {cellsOf(outcome).map((cell, at) => (
        <td
          key={heads[at]}
          role="cell"
          className="border-line px-2 tabular-nums max-md:flex max-md:justify-between max-md:gap-4 md:border-b md:py-1 md:whitespace-nowrap"
        >
          <span aria-hidden className="text-ink-soft md:hidden">
            {heads[at]}
          </span>
          <span className="max-md:text-end">{cell}</span>
        </td>
      ))}
    </tr>
  );
}

function cellsOf({
  state,
  tokensBefore,
  tokensAfter,
  messagesLost,
  partsChanged,
  cachedShare,
  cost,
}: StrategyOutcome): readonly string[] {
  const isSummaryAlone = state === 'compacted' && messagesLost === 0 && partsChanged === 0;
  return [
    isSummaryAlone ? 'writes the summary anew' : stateWords[state],
    `${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)}`,
    formatCount(messagesLost),
    formatCount(partsChanged),
    cachedShare === null ? 'not known' : `${Math.round(cachedShare * 100)} %`,
    cost ? formatCost(Math.max(0, cost.rewriteUsd + cost.summariserUsd)) : 'no prices known',
    cost ? formatCost(Math.max(0, cost.savedPerStepUsd)) : 'no prices known',
  ];
}
