import { lastCut } from '../select-range.ts';
import { tailItem } from '../../changes/view.ts';
import { longArguments, prunePart } from '../prune-part.ts';
import type { StageInput, ViewPart } from '../stage-input.ts';
import { partsOf } from '../stage-input.ts';
import { isUnpruned, smallestPrunableTokens } from '../prune-parts.ts';
import type { CallPart, Entry } from '../../transcript/entry.ts';
import { callInputText, resultText, visitTexts } from '../../transcript/entry-text.ts';
import { inventedNames, knownNames } from '../../text/names.ts';
import { withoutGrammar } from '../../summary/clean-prose.ts';
import type { Decision } from './read-decisions.ts';
import type { PartLevelChange } from '../../changes/change.ts';

/**
 * What a reviewer decides about under one number: a result, a call with long arguments, or a text of the assistant.
 * Parts, because formats differ in how many of them they put into one message.
 */
export interface ReviewItem {
  readonly view: ViewPart;
  /** The call that a result answers, where the view still has it. */
  readonly call: CallPart | undefined;
}

/** The newest messages are not up for decision. */
const newestMessages = 5;

/**
 * What is up for decision, oldest first: what the view shows behind the newest summary and the provider's own
 * compaction, without the newest five messages and what the model has not answered. Nothing pinned or signed, nothing
 * of a provider's own tools, no word of the user or the system; nothing a reviewer has changed before, and nothing
 * that costs as little as its placeholder.
 */
export function reviewItems(input: StageInput): ReviewItem[] {
  const { conversation, tailFrom } = input.view;
  const first = Math.max(tailFrom, conversation.barrierAt);
  const end = Math.min(lastCut(conversation), conversation.entries.length - newestMessages);
  const calls = new Map<string, CallPart>();
  const found: ReviewItem[] = [];
  for (let position = first; position < end; position += 1) {
    const item = tailItem(input.view, position);
    if (!item) continue;
    for (const view of partsOf(input, item)) {
      const { part } = view;
      if (part.type === 'call') calls.set(part.callId, part);
      if (!isUpForDecision(input, view)) continue;
      found.push({ view, call: part.type === 'result' ? calls.get(part.callId) : undefined });
    }
  }
  return found;
}

function isUpForDecision({ pins }: StageInput, view: ViewPart): boolean {
  const { item, part, tokens, change } = view;
  if (tokens < smallestPrunableTokens || pins.has(item.entry.ordinal)) return false;
  if (part.binding !== undefined || change?.reason === 'reviewed') return false;
  if (part.type === 'text') return item.entry.role === 'assistant';
  return isUnpruned(view) && (part.type !== 'call' || longArguments(part).length > 0);
}

export interface Decided {
  readonly changes: readonly PartLevelChange[];
  readonly dropped: number;
  readonly replaced: number;
}

/**
 * Carries decisions out by code, as changes of single parts: so calls keep their results, and everything can be
 * recalled and undone. `itemOf` finds what an index stands for; `undefined` where it is no longer up for decision, and
 * then it is kept. A replacement that gains nothing, says nothing, or names what its message does not name, keeps the
 * message as it is.
 */
export function decidedChanges(
  input: StageInput,
  decisions: readonly Decision[],
  itemOf: (index: number) => ReviewItem | undefined,
): Decided {
  const changes: PartLevelChange[] = [];
  let replaced = 0;
  for (const decision of decisions) {
    const item = itemOf(decision.index);
    const change = item && changeFor(input, item, decision);
    if (!change) continue;
    changes.push(change);
    if (decision.action === 'replace') replaced += 1;
  }
  return { changes, dropped: changes.length - replaced, replaced };
}

function changeFor(input: StageInput, item: ReviewItem, decision: Decision): PartLevelChange | undefined {
  if (decision.action === 'keep') return undefined;
  const words = decision.action === 'replace' ? soundWords(item, decision.text) : undefined;
  if (decision.action === 'replace' && words === undefined) return undefined;
  const change = prunePart(input, item.view, {
    reason: 'reviewed',
    ...(words === undefined ? {} : { words }),
  });
  return change && change.afterTokens < item.view.tokens ? change : undefined;
}

/** The text of a replacement, or `undefined` where it says nothing or invents something. */
function soundWords({ view, call }: ReviewItem, text: string): string | undefined {
  const words = withoutGrammar(text.toWellFormed()).trim();
  if (words === '') return undefined;
  const parts = [view.part, ...(call ? [call] : [])];
  return inventedNames(words, knownNames(textsOf({ ...view.item.entry, parts }))).length > 0
    ? undefined
    : words;
}

/** Everything that a reader of these parts can name: each text by itself, and data as JSON, where the numbers are. */
function textsOf(entry: Entry): string[] {
  const texts: string[] = [];
  visitTexts(entry, (text) => texts.push(text));
  for (const part of entry.parts) {
    if (part.type === 'call') texts.push(part.name, callInputText(part));
    if (part.type === 'result') texts.push(part.name ?? '', resultText(part));
  }
  return texts;
}
