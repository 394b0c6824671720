import { countText, scriptAwareEstimator } from '@throughline/core';
import { estimatedOutput } from '../stream/shared/facts.ts';
import { leastLimitOf, limitLeft, withMargin } from '../manage/answer-limit.ts';
import type { AnswerFacts } from '../stream/shared/facts.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Managed } from '../manage/managed.ts';

/** What results without a text of the history take: a sentence each. */
const sentenceTokens = 40;
/** An answer that has less room than this says nothing. */
const leastSayingTokens = 128;
/** Of what the window leaves beside the prompt, for what is said behind what was recalled. */
const answerShare = 0.2;

/** An answer that has called the recall tool. */
interface Recalling {
  readonly request: ClientRequest;
  readonly managed: Managed;
  /** What the request of the answer had behind the client's messages. */
  readonly behind: readonly { readonly message: unknown }[];
  /** What is told of the answer. */
  readonly facts: AnswerFacts;
  /** Calls to be told a result of. */
  readonly results: number;
  /** What comes behind the prompt, as JSON, without the texts of the results. */
  readonly exchange: string;
  /** What all calls for the answer have said, this one included. */
  readonly spentTokens: number;
}

export interface RecallRoom {
  /** The prompt of the next request, without the texts of its results. */
  readonly promptTokens: number;
  /** For what is recalled. */
  readonly textTokens: number;
}

/** What of the window is left for the results of calls; `undefined` where not even sentences fit. */
export function recallRoom(recalling: Recalling): RecallRoom | undefined {
  const { managed, request, results, spentTokens } = recalling;
  const { window, maxInput } = managed.limits;
  const promptTokens = promptBehind(recalling);
  const limit = limitLeft(request, spentTokens);
  const left = Math.min(window.tokens - promptTokens, (maxInput?.tokens ?? Infinity) - promptTokens);
  if (left < results * sentenceTokens + Math.min(limit, leastLimitOf(request, leastSayingTokens)))
    return undefined;
  const answer = Math.min(limit, Math.max(leastLimitOf(request), left * answerShare));
  return { promptTokens, textTokens: Math.max(0, Math.floor(left - answer)) };
}

/** Of names, ids and brackets around what was said, in a token. */
const charactersAround = 3;

/** A count below this share of the estimate leaves something out: what came from a cache, say. */
const trustedShare = 0.6;

/** The prompt of the answer, and the answer: as they were counted, or as they are estimated. */
function promptBehind({ managed, behind, facts, exchange }: Recalling): number {
  const { usage } = facts;
  const added = behind.map(({ message }) => countText(JSON.stringify(message), scriptAwareEstimator));
  const estimate = managed.step.report.tokens.final + added.reduce((sum, tokens) => sum + tokens, 0);
  const around = Math.max(0, exchange.length - facts.outputCharacters) / charactersAround;
  const said = (usage?.outputTokens || estimatedOutput(facts)) + Math.ceil(around);
  const counted = usage?.inputTokens ?? 0;
  return (counted >= trustedShare * estimate ? counted : withMargin(estimate)) + said;
}
