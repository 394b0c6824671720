import { isRequest } from '../transcript/own-words.ts';
import { tailItem } from '../changes/view.ts';
import type { StageInput } from './stage-input.ts';
import type { View } from '../changes/view.ts';

/** How much of the newest history a compaction leaves alone. Whole exchanges only; what the model has not answered always stays. */
export type KeepRule =
  /** The last `turns` turns where they cost at most `share` of the trigger, else the newest exchanges up to half of it. */
  | { readonly type: 'last-turns'; readonly turns: number; readonly share: number }
  | { readonly type: 'last-messages'; readonly messages: number }
  /** The newest part of the view, as a share of its tokens: `0.3` is three tenths. Above 0, at most 1. */
  | { readonly type: 'last-share'; readonly share: number }
  /** As much as fits under the target. */
  | { readonly type: 'fill' };

/**
 * What the view shows from each position on, without what the model has not answered. Goes back over the history once,
 * and only as far as it is asked: most of a long one lies before every cut that is weighed.
 */
export class Tail {
  readonly #view: View;
  /** The newest position comes first. */
  readonly #tokens: number[] = [];

  constructor(view: View) {
    this.#view = view;
  }

  tokensFrom(position: number): number {
    const { conversation, tailFrom } = this.#view;
    const last = conversation.entries.length - 1;
    if (position > last || position < tailFrom) return 0;
    while (this.#tokens.length <= last - position) {
      const next = last - this.#tokens.length;
      const shown = next < conversation.answeredEnd ? (tailItem(this.#view, next)?.tokens ?? 0) : 0;
      this.#tokens.push((this.#tokens.at(-1) ?? 0) + shown);
    }
    return this.#tokens[last - position] ?? 0;
  }
}

interface CutChoice {
  /** Position from which on messages may go. */
  readonly first: number;
  /** Legal cuts, oldest first. */
  readonly cuts: readonly number[];
  readonly rule: KeepRule;
  /** Most the tail may cost. */
  readonly roomTokens: number;
}

interface CutInput extends StageInput {
  readonly tail: Tail;
  readonly cuts: readonly number[];
  /** Where a compaction would begin in what the view still shows. */
  readonly from: number;
}

/**
 * The cut that the rule asks for, moved on while the tail is larger than `roomTokens`; `undefined` where the rule keeps
 * all there is.
 */
export function chooseCut(
  input: StageInput,
  { first, cuts, rule, roomTokens }: CutChoice,
): number | undefined {
  const from = Math.max(first, input.view.tailFrom);
  const cutInput: CutInput = { ...input, cuts, from, tail: new Tail(input.view) };
  const wanted = cutBy(cutInput, rule);
  if (wanted === undefined) return undefined;
  return firstAfter(cuts, (cut) => cut < wanted || cutInput.tail.tokensFrom(cut) > roomTokens) ?? cuts.at(-1);
}

// Exchanges of a larger turn are kept up to half of that: what the timeline says of older ones is worth more than their
// results (replay and reading at 20k and 40k).
const exchangeShare = 0.5;

type Cutters = {
  readonly [Type in KeepRule['type']]: (
    input: CutInput,
    rule: Extract<KeepRule, { type: Type }>,
  ) => number | undefined;
};

const cutters: Cutters = {
  'last-turns': (input, { turns, share }) => {
    const maxTokens = input.measures.trigger * share;
    const start = turnStart(input.view, turns);
    const atTurn = start < 0 ? undefined : firstAfter(input.cuts, (cut) => cut < start);
    if (atTurn !== undefined && input.tail.tokensFrom(atTurn) <= maxTokens) return atTurn;
    return oldestWithin(input, maxTokens * exchangeShare);
  },
  'last-messages': ({ view, cuts }, { messages }) => {
    const { length } = view.conversation.entries;
    return length - view.tailFrom <= messages + 1
      ? undefined
      : cuts.findLast((cut) => cut <= length - messages);
  },
  'last-share': (input, { share }) => oldestWithin(input, input.view.tokens * share),
  fill: ({ cuts }) => cuts[0],
};

function cutBy<Type extends KeepRule['type']>(
  input: CutInput,
  rule: Extract<KeepRule, { type: Type }>,
): number | undefined {
  const cutter: (input: CutInput, rule: Extract<KeepRule, { type: Type }>) => number | undefined =
    cutters[rule.type];
  return cutter(input, rule);
}

/** Where the last `turns` turns begin, or -1 when there are not more than that behind what is compacted. */
function turnStart({ conversation, tailFrom }: View, turns: number): number {
  const { entries, taskAt } = conversation;
  let found = 0;
  for (let position = entries.length - 1; position > taskAt && position >= tailFrom; position -= 1) {
    const entry = entries.at(position);
    if (entry && isRequest(entry)) found += 1;
    if (found === turns) return position;
  }
  return -1;
}

/**
 * The oldest cut whose tail is within `maxTokens`, and that leaves at least one exchange whole where there is one;
 * `undefined` where all that could go is within.
 */
function oldestWithin({ view, cuts, from, tail }: CutInput, maxTokens: number): number | undefined {
  const within = firstAfter(cuts, (cut) => tail.tokensFrom(cut) > maxTokens);
  if (within === cuts[0] && tail.tokensFrom(from) <= maxTokens) return undefined;
  const newest = cuts.at(-1);
  if (within === undefined) return newest;
  return within >= view.conversation.answeredEnd ? (cuts.at(-2) ?? newest) : within;
}

/** The oldest cut behind all that are too far back; looked for from the newest one. The tail only grows going back. */
function firstAfter(cuts: readonly number[], isTooFarBack: (cut: number) => boolean): number | undefined {
  return cuts[cuts.findLastIndex(isTooFarBack) + 1];
}
