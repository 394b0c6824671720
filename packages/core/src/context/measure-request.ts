import { budgetFor } from './pass.ts';
import { tokenScaleOf } from './token-scale-of.ts';
import { interruptedTokensAt, openTokens } from '../transcript/conversation.ts';
import { parseState } from './state.ts';
import { tailView } from '../changes/view.ts';
import { toActual } from '../budget/token-scale.ts';
import type { Budget } from '../budget/budget.ts';
import type { ContextState } from './state.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { Policy } from './policy.ts';
import type { Transcript } from './transcript.ts';
import type { View, ViewItem } from '../changes/view.ts';

export interface MeasuredView {
  readonly transcript: Transcript;
  /** Of this transcript, or of what it was before messages were appended. */
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
    currentTokens: Math.ceil(toActual(tokenScaleOf(transcript, known), estimateTokens)),
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
