import { actualTokens, openAttempt } from './attempt.ts';
import { defaultLimitsOf, limitOutput } from '../stages/limit-output.ts';
import { emptyState } from './state.ts';
import { measureEntry } from '../tokens/measure-entry.ts';
import type { CallId, Entry, EntryId } from '../transcript/entry.ts';
import type { ContextState } from './state.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';

export interface ToolResultCheck {
  /** Measured tokens of the result as it is. */
  readonly tokens: number;
  /** The result as it is would push the request above what is usable. */
  readonly wouldOverflow: boolean;
  /** It is above the limits of its tool or its share of the window, so that `prepare` will show head and tail of it. */
  readonly wouldBeShortened: boolean;
  /** The most that `prepare` will show of it; less where it has to share with other results of its group. */
  readonly maxTokens: number;
}

/** What a tool has said. Without its name the limits for tools in general count. */
export interface ToolOutput {
  readonly text: string;
  readonly toolName?: string;
}

/** What a tool result would do to the context, before it is added. Changes nothing. */
export function checkToolResult(
  transcript: Transcript,
  policy: Policy,
  output: string | ToolOutput,
  state: ContextState = emptyState(),
): ToolResultCheck {
  const { text, toolName }: ToolOutput = typeof output === 'string' ? { text: output } : output;
  const attempt = openAttempt(transcript, state, policy);
  const { budget, gauge, measures } = attempt;
  const limitsOf = policy.limitsOf ?? defaultLimitsOf;
  const limited = limitOutput(text, limitsOf(toolName));
  const estimate = estimateResult(transcript, text);
  const actual = (tokens: number): number => Math.ceil(gauge.slope * tokens);
  return {
    tokens: actual(estimate),
    wouldOverflow: actualTokens(attempt) + actual(estimate) > budget.usableTokens,
    wouldBeShortened: limited !== text || estimate > measures.result,
    maxTokens: Math.min(
      budget.resultTokens,
      limited === text ? Infinity : actual(estimateResult(transcript, limited)),
    ),
  };
}

/** As the message of a result will be measured, without what the message costs beside it. */
function estimateResult({ estimator, media }: Transcript, text: string): number {
  const entry: Entry = {
    id: '' as EntryId,
    ordinal: 0,
    role: 'tool',
    wire: null,
    parts: [
      {
        type: 'result',
        at: [],
        callId: '' as CallId,
        isError: false,
        pieces: [{ type: 'text', at: [], text }],
      },
    ],
  };
  return measureEntry(entry, { estimator, media }).parts[0] ?? 0;
}
