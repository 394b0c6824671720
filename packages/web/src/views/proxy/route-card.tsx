import { CopyButton } from '../../parts/text/copy-button.tsx';
import { formatCount, formatTime, formatTokens } from '../../parts/format.ts';
import { serverUrl } from '../../data/access.ts';
import type { ProxyModel, ProxyRoute, ProxyTraffic } from '../../data/types.ts';

const sources: Readonly<Record<ProxyModel['source'], string>> = {
  user: 'as configured',
  learned: 'learned from an error',
  discovered: 'asked of the upstream',
  catalogue: 'from the catalogue',
  default: 'assumed: nobody says',
};

const dialects: Readonly<Record<ProxyTraffic['dialects'][number], string>> = {
  chat: 'Chat Completions',
  messages: 'Anthropic Messages',
  responses: 'Responses',
};

/** One route: where it leads, its limits, and what went through it. */
export function RouteCard({ route }: { readonly route: ProxyRoute }) {
  const { name, upstream, strategy, windowTokens, onFailure, models, traffic } = route;
  const address = `${serverUrl()}/proxy/${encodeURIComponent(name)}`;
  const rows = [
    ['Upstream', upstream],
    ['Strategy', strategy],
    ['Window', windowTokens === null ? 'that of each model' : `${formatCount(windowTokens)} tokens`],
    [
      'When it fails itself',
      onFailure === 'open' ? 'requests go through as they are' : 'requests are refused',
    ],
  ] as const;
  return (
    <li className="flex min-w-0 flex-col gap-3 rounded-xl border border-line p-4 text-sm">
      <h3 dir="auto" className="font-semibold break-words">
        {name}
      </h3>
      <p className="flex items-center gap-1">
        <code dir="ltr" className="min-w-0 flex-1 truncate rounded bg-ground-strong px-2 py-1 text-xs">
          {address}
        </code>
        <CopyButton text={address} label={`Copy the address of ${name}`} />
      </p>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-0.5">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-faint">{label}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <Models models={models} />
      {traffic && <Traffic traffic={traffic} />}
    </li>
  );
}

function Models({ models }: { readonly models: readonly ProxyModel[] }) {
  if (models.length === 0) return <p className="text-xs text-ink-faint">No model was asked for yet.</p>;
  return (
    <ul aria-label="Windows of models" className="flex flex-col gap-0.5 text-xs">
      {models.map(({ model, windowTokens, source, maxInputTokens }) => (
        <li key={model} className="flex flex-wrap gap-x-2">
          <span dir="auto" className="font-medium break-words">
            {model}
          </span>
          <span className="text-ink-soft tabular-nums">
            {formatTokens(windowTokens)} tokens, {sources[source]}
            {maxInputTokens !== null && `; a prompt has at most ${formatTokens(maxInputTokens)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Traffic({ traffic }: { readonly traffic: ProxyTraffic }) {
  const { sinceMs, requests, changed, overflows, restarts, recalls, dialects: spoken } = traffic;
  const rows = [
    ['Requests', requests],
    ['With a changed context', changed],
    ['Too large for the upstream', overflows],
    ['Answers that were continued', restarts],
    ['Recalled by models', recalls],
  ] as const;
  return (
    <div className="border-t border-line pt-2">
      <dl className="grid grid-cols-[1fr_max-content] gap-x-4 tabular-nums">
        {rows.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-faint">{label}</dt>
            <dd className="text-right">{formatCount(value)}</dd>
          </div>
        ))}
      </dl>
      <p className="pt-1 text-xs text-ink-faint">
        Since {formatTime(sinceMs)}
        {spoken.length > 0 && `, in ${spoken.map((dialect) => dialects[dialect]).join(', ')}`}
      </p>
    </div>
  );
}
