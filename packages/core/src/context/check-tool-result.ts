import { actualTokens, openPass, stageInput } from '../pass/pass.ts';
import { defaultLimitsOf, truncateAlone } from '../stages/truncate-results.ts';
import { emptyState } from '../pass/state.ts';
import { measureEntry } from '../tokens/measure-entry.ts';
import { nextOrdinal } from '../transcript/conversation.ts';
import type { CallId, Entry, EntryId, ResultPart } from '../transcript/entry.ts';
import type { EntryItem } from '../changes/view.ts';
import type { ViewPart } from '../stages/stage-input.ts';
import type { ContextState } from '../pass/state.ts';
import type { Policy } from '../pass/policy.ts';
import type { Transcript } from '../history/transcript.ts';

export interface ToolResultCheck {
  /** Measured tokens of the result as it is. */
  readonly tokens: number;
  /** The result as it is would push the request above what is usable. */
  readonly wouldOverflow: boolean;
  /** It is so far above the limits of its tool or its share of the window that `prepare` will show head and tail of it. */
  readonly wouldBeTruncated: boolean;
  /** The most that `prepare` will show of it; less where it has to share with other results of its exchange. */
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
  const pass = openPass(transcript, state, policy);
  const { budget, tokenScale } = pass;
  const view = resultAlone(transcript, text);
  const limits = (policy.limitsOf ?? defaultLimitsOf)(toolName);
  const { tokens, change } = truncateAlone(stageInput(pass), view, limits);
  const actual = (estimate: number): number => Math.ceil(tokenScale.slope * estimate);
  return {
    tokens: actual(view.tokens),
    wouldOverflow: actualTokens(pass) + actual(view.tokens) > budget.usableTokens,
    wouldBeTruncated: change !== undefined,
    maxTokens: Math.min(budget.resultTokens, tokens < view.tokens ? actual(tokens) : Infinity),
  };
}

/** A result as it will stand in the history, measured; what the message costs beside it does not count. */
function resultAlone({ conversation, estimator, media }: Transcript, text: string): ViewPart {
  const part: ResultPart = {
    type: 'result',
    at: [],
    callId: '' as CallId,
    isError: false,
    pieces: [{ type: 'text', at: [], text }],
  };
  const position = conversation.entries.length;
  const entry: Entry = {
    id: '' as EntryId,
    ordinal: nextOrdinal(conversation),
    role: 'tool',
    wire: null,
    parts: [part],
  };
  const tokens = measureEntry(entry, { estimator, media }).parts[0] ?? 0;
  const item: EntryItem = { type: 'entry', position, entry, changes: [], tokens };
  return { item, index: 0, part, fullTokens: tokens, tokens, change: undefined };
}
