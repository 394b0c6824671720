import { actualTokens, openPass, requestTokens, budgetFor } from '../pass/pass.ts';
import { checkOptions, invalidOption, optionalText, required } from '../errors/check-options.ts';
import { isObject } from '../json/json.ts';
import { truncateAlone } from '../stages/truncate-results.ts';
import { emptyState, parseState } from '../pass/state.ts';
import { measureEntry } from '../tokens/measure-entry.ts';
import { nextOrdinal, interruptedTokensAt, openTokens } from '../transcript/conversation.ts';
import { tailView } from '../changes/view.ts';
import { toActual } from '../budget/measures.ts';
import { replay } from '../changes/replay.ts';
import { checkTranscript } from '../history/check-input.ts';
import { irreducible } from '../pass/irreducible.ts';
import { toolLimitsOf } from '../pass/policy.ts';
import { tokenScaleOf } from '../pass/usage.ts';
import { selectRange } from '../stages/select-range.ts';
import type { OptionChecks } from '../errors/check-options.ts';
import type { ContextState } from '../pass/state.ts';
import type { Conversation } from '../transcript/conversation.ts';
import { partRecallId } from '../transcript/entry.ts';
import type { CallId, Entry, EntryId, ResultPart } from '../transcript/entry.ts';
import type { EntryItem, View, ViewItem } from '../changes/view.ts';
import type { ViewPart } from '../stages/stage-input.ts';
import type { Policy } from '../pass/policy.ts';
import type { Transcript } from '../history/transcript.ts';
import type { CompactionPlan } from '../stages/select-range.ts';
import type { Budget } from '../budget/budget.ts';
import type { MeasuredPart } from '../errors/context-error.ts';

export interface MeasuredView {
  readonly transcript: Transcript;
  /** The view of this transcript, or of what it was before messages were appended. */
  readonly view: View;
  readonly state: ContextState;
  readonly policy: Policy;
}

export interface RequestMeasure {
  readonly budget: Budget;
  /** Estimated tokens of all messages, in the estimator's own count. */
  readonly estimateTokens: number;
  /** Measured tokens of the request: system, tools and messages. */
  readonly currentTokens: number;
  /** The messages that were appended since the view was made. */
  readonly tail: readonly ViewItem[];
}

/**
 * What a view would measure as a request, with the messages that came after it as they are: results among them have not
 * been truncated yet. Costs what is new; nothing is replayed, and no step is made.
 *
 * @param besideTokens estimated tokens of what the request holds beside the transcript
 */
export function measureRequest(
  { transcript, view, state, policy }: MeasuredView,
  besideTokens = 0,
): RequestMeasure {
  const known = parseState(state);
  const tail = tailView(view, transcript.conversation);
  const estimateTokens = knownTokens(view, transcript.conversation) + tail.tokens + besideTokens;
  return {
    budget: budgetFor(known, policy),
    estimateTokens,
    currentTokens: Math.floor(toActual(tokenScaleOf(transcript, known), estimateTokens)),
    tail: tail.items.slice(),
  };
}

/** What the view costs in the longer history, without what its open calls cost: the tail tells that. */
function knownTokens({ conversation: before, tokens }: View, conversation: Conversation): number {
  // A compaction of the provider hides all that was before it.
  if (conversation.barrierAt >= before.entries.length) return 0;
  const { lastExchange } = before;
  let closed = 0;
  for (let position = lastExchange?.first ?? 0; position < (lastExchange?.end ?? 0); position += 1) {
    closed += interruptedTokensAt(conversation, position);
  }
  return tokens - openTokens(before) + closed;
}

/**
 * What a view comes to as a request, in whole tokens of the estimate: system text, tools and all that reaches the model.
 * The one sum that everybody shows who shows a request that no provider has counted.
 */
export function countRequest({ systemTokens, toolsTokens }: Transcript, { tokens }: View): number {
  return Math.floor(systemTokens + toolsTokens + tokens);
}

/** Whether the next request fits, and how much room is left. */
export interface OverflowCheck {
  /** The request would exceed what is usable. */
  readonly isOverflow: boolean;
  /** Measured tokens of the request: system, tools and messages. */
  readonly currentTokens: number;
  /** Tokens that are still free; 0 when it overflows. */
  readonly availableTokens: number;
  /** Window in tokens; less than that of the policy where an error named a smaller one. */
  readonly modelLimit: number;
  /** Tokens that are kept free for the answer. */
  readonly outputReserve: number;
}

/** Whether the history, as it would be sent now, fits. Changes nothing. */
export function checkOverflow(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
): OverflowCheck {
  const pass = openPass(transcript, state, policy);
  const currentTokens = requestTokens(pass);
  const { usableTokens, windowTokens, outputReserveTokens } = pass.budget;
  return {
    isOverflow: currentTokens > usableTokens,
    currentTokens,
    availableTokens: Math.max(0, usableTokens - currentTokens),
    modelLimit: windowTokens,
    outputReserve: outputReserveTokens,
  };
}

/**
 * What the next request cannot do without, the biggest first: what is to be named where a provider refuses a request
 * that nothing makes smaller. Changes nothing.
 */
export function biggestParts(
  transcript: Transcript,
  policy: Policy,
  state: ContextState,
): readonly MeasuredPart[] {
  return irreducible(openPass(transcript, state, policy)).parts;
}

/** Which messages the strategy's compaction would replace now, in ordinals; `undefined` when there is nothing to gain. */
export function selectMessages(
  transcript: Transcript,
  policy: Policy,
  state: ContextState = emptyState(),
): CompactionPlan | undefined {
  const pass = openPass(transcript, state, policy);
  const ladderStep = policy.strategy.ladderSteps.find(({ type }) => type === 'compact');
  if (ladderStep?.type !== 'compact') return undefined;
  return selectRange(pass, ladderStep);
}

/** Estimated tokens of a request, in the estimator's own count. */
export interface TokenEstimate {
  readonly total: number;
  /** System text and tool schemas that travel outside the messages. */
  readonly system: number;
  readonly tools: number;
  readonly messages: number;
}

/**
 * What the whole history would cost if it were sent as it is, with the error results that calls without a result get.
 * By the estimator alone; `checkOverflow` gives the measured size of the next request, corrected by what the provider
 * has counted. A walk over the history.
 *
 * @throws {ContextError} `not-loaded` where not all of it was loaded.
 */
export function estimateTokens(transcript: Transcript): TokenEstimate {
  checkTranscript(transcript);
  const { conversation, systemTokens, toolsTokens } = transcript;
  const messages = replay(conversation, []).view.tokens;
  return { total: systemTokens + toolsTokens + messages, system: systemTokens, tools: toolsTokens, messages };
}

/**
 * What a tool result would do to the context. Sizes are tokens as the provider counts them, by the calibrated estimate.
 */
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
  const { text, toolName } = toolOutput(output);
  const pass = openPass(transcript, state, policy);
  const { budget, tokenScale } = pass;
  const view = resultAlone(transcript, text);
  const limits = toolLimitsOf(policy, toolName);
  const { tokens, change } = truncateAlone(pass, view, limits);
  const actual = (estimate: number): number => Math.ceil(tokenScale.slope * estimate);
  return {
    tokens: actual(view.tokens),
    wouldOverflow: actualTokens(pass) + actual(view.tokens) > budget.usableTokens,
    wouldBeTruncated: change !== undefined,
    maxTokens: Math.min(budget.resultTokens, tokens < view.tokens ? actual(tokens) : Infinity),
  };
}

const toolOutputChecks: OptionChecks<ToolOutput> = { text: required(optionalText), toolName: optionalText };

function toolOutput(output: string | ToolOutput): ToolOutput {
  if (typeof output === 'string') return { text: output };
  if (!isObject(output)) throw invalidOption('output', 'a text, or an object with text and toolName', output);
  checkOptions('output', output, toolOutputChecks);
  return output;
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
  const recallId = partRecallId(entry.ordinal, 0);
  return { item, index: 0, recallId, part, fullTokens: tokens, tokens, change: undefined };
}
