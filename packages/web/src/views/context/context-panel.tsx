import { categories } from './category-words.ts';
import { clsx } from 'clsx';
import { CompactForm } from './compact-form.tsx';
import { formatCount, formatTokens } from '../../parts/format.ts';
import { LargestItems } from './largest-items.tsx';
import { Link } from 'wouter';
import { SessionSpent } from './session-spent.tsx';
import { useContextActions } from '../../data/context/context-actions.ts';
import type { ContextUsage } from '../../data/types.ts';
import type { ConversationState } from '../../data/conversation/state.ts';
import type { LiveConversation } from '../../data/conversation/live-conversation.ts';

export interface ContextPanelProps {
  readonly conversation: ConversationState;
  readonly live: LiveConversation;
  readonly usage: ContextUsage;
}

/** What fills the context, and what can be done about it. */
export function ContextPanel({ conversation, live, usage }: ContextPanelProps) {
  const { session, pins, activity, runningCompaction } = conversation;
  const actions = useContextActions(session.id, live);
  const isRunning = activity.type !== 'idle';
  return (
    <div className="flex flex-col gap-4 text-sm">
      <Limits usage={usage} />
      <ByCategory usage={usage} />
      <SessionSpent sessionId={session.id} />
      <CompactForm
        actions={actions}
        busyWith={runningCompaction ? 'compaction' : isRunning ? 'run' : 'nothing'}
      />
      <LargestItems sessionId={session.id} usage={usage} pins={pins} actions={actions} />
      <Link href={`/sessions/${session.id}/inspector`} className="text-accent underline">
        Open the context inspector
      </Link>
    </div>
  );
}

function Limits({ usage }: { readonly usage: ContextUsage }) {
  const { currentTokens, limit, windowTokens, triggerTokens, estimated, percentUsed } = usage;
  const rows = [
    ['Next request', `${estimated ? '≈ ' : ''}${formatCount(currentTokens)} tokens`],
    ['Can be used', `${formatCount(limit)} of a window of ${formatCount(windowTokens)}`],
    ['Compacted above', `${formatCount(triggerTokens)} tokens`],
  ] as const;
  return (
    <div className="flex flex-col gap-2">
      <div
        role="meter"
        aria-label="Context"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, Math.round(percentUsed))}
        className="relative h-3 overflow-hidden rounded-full bg-ground-strong"
      >
        <Segments usage={usage} />
        <span
          aria-hidden
          className="absolute inset-y-0 w-0.5 bg-ink"
          style={{ left: `${Math.min(100, (triggerTokens / Math.max(1, limit)) * 100)}%` }}
        />
      </div>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 tabular-nums">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-faint">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {estimated && (
        <p className="text-xs text-ink-faint">
          ≈ Part of it is estimated: the model’s server counts it with the next step.
        </p>
      )}
    </div>
  );
}

function Segments({ usage: { byCategory, limit } }: { readonly usage: ContextUsage }) {
  return (
    <div className="flex h-full" aria-hidden>
      {categories.map(({ key, color }) => (
        <span
          key={key}
          className={color}
          style={{ width: `${(byCategory[key] / Math.max(1, limit)) * 100}%` }}
        />
      ))}
    </div>
  );
}

function ByCategory({ usage: { byCategory, currentTokens, estimated } }: { readonly usage: ContextUsage }) {
  const shown = categories.filter(({ key }) => byCategory[key] > 0);
  return (
    <table className="w-full tabular-nums">
      <caption className="sr-only">Tokens by category</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">Category</th>
          <th scope="col">Tokens</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ key, label, color }) => (
          <tr key={key}>
            <th scope="row" className="text-left font-normal">
              <span aria-hidden className={clsx('mr-2 inline-block size-2.5 rounded-sm', color)} />
              {label}
            </th>
            <td className="text-right">{formatTokens(byCategory[key], estimated)}</td>
            <td className="w-14 text-right text-ink-faint">
              {Math.round((byCategory[key] / Math.max(1, currentTokens)) * 100)} %
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
