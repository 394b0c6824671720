import { formatCount, formatDuration, formatTokens } from '../../parts/format.ts';
import { savedPercent } from '../context/compaction-words.ts';
import type { AgentEvents, AgentEventType, TraceNote } from '../../data/types.ts';

export interface NoteText {
  readonly label: string;
  readonly detail: string;
  readonly tone: 'plain' | 'good' | 'warn' | 'bad';
  /** It belongs to the management of the context. */
  readonly isContext: boolean;
}

interface Row<Type extends AgentEventType> {
  readonly label: string;
  readonly tone?: NoteText['tone'];
  readonly isContext?: true;
  readonly detail: (data: AgentEvents[Type]) => string;
}

type Rows = { readonly [Type in AgentEventType]?: Row<Type> };

const rows: Rows = {
  'llm:retry': {
    label: 'Retry',
    tone: 'warn',
    detail: ({ attempt, reason }) => `try ${attempt}: ${reason.message}`,
  },
  'llm:error': { label: 'Error', tone: 'bad', detail: ({ error }) => error.message },
  'llm:switched': { label: 'Model switched', detail: ({ newConfig }) => newConfig.model },
  'context:overflow': {
    label: 'Overflow',
    tone: 'warn',
    isContext: true,
    detail: ({ currentTokens, limit, percentUsed }) =>
      `${formatCount(currentTokens)} of ${formatCount(limit)} usable tokens (${Math.round(percentUsed)} %)`,
  },
  'context:pruned': {
    label: 'Pruned',
    tone: 'good',
    isContext: true,
    detail: ({ prunedCount, savedTokens, prunedTools }) =>
      `${formatCount(prunedCount)} results, ${formatTokens(savedTokens)} tokens saved${prunedTools.length > 0 ? `; ${prunedTools.join(', ')}` : ''}`,
  },
  'context:repaired': {
    label: 'Repaired',
    tone: 'warn',
    isContext: true,
    detail: ({ repairs }) => repairs.map(({ type, path }) => `${type} at ${path}`).join(', '),
  },
  'context:warning': { label: 'Warning', tone: 'warn', isContext: true, detail: ({ message }) => message },
  'context:compressed': {
    label: 'Compacted',
    tone: 'good',
    isContext: true,
    detail: ({ originalTokens, compressedTokens, messagesCompacted, strategy, reason, durationMs }) =>
      `${formatTokens(originalTokens)} → ${formatTokens(compressedTokens)} tokens (${savedPercent(originalTokens, compressedTokens)} % saved), ${formatCount(messagesCompacted)} messages, ${strategy}, ${reason}, ${formatDuration(durationMs)}`,
  },
  'compaction:error': {
    label: 'Compaction failed',
    tone: 'bad',
    isContext: true,
    detail: ({ error }) => error.message,
  },
  'compaction:cancelled': { label: 'Compaction cancelled', isContext: true, detail: ({ reason }) => reason },
  'compaction:undone': {
    label: 'Compaction taken back',
    isContext: true,
    detail: ({ tokensAfter }) => `${formatTokens(tokensAfter)} tokens now`,
  },
  'compaction:redone': {
    label: 'Compaction in force again',
    isContext: true,
    detail: ({ tokensAfter }) => `${formatTokens(tokensAfter)} tokens now`,
  },
  'message:dequeued': {
    label: 'Message taken from the queue',
    detail: ({ count }) => (count === 1 ? 'one message' : `${count} messages`),
  },
  'approval:requested': { label: 'Asked you', tone: 'warn', detail: ({ request }) => request.toolName },
  'approval:resolved': {
    label: 'You answered',
    detail: ({ request, answer }) => `${request.toolName}: ${answer.type}`,
  },
};

/** A note for people; one of a kind that this page does not know is told by its name. */
export function noteText({ type, data }: TraceNote): NoteText {
  const row = (rows as Readonly<Record<string, Row<AgentEventType> | undefined>>)[type];
  if (!row) return { label: type, detail: '', tone: 'plain', isContext: false };
  const { label, tone = 'plain', isContext = false, detail } = row;
  return { label, tone, isContext, detail: detail(data as never) };
}
