import { prunePart } from '../prune-part.ts';
import { callInputText, resultText, visitTexts } from '../../transcript/entry-text.ts';
import { inventedNames } from '../../summary/invented-names.ts';
import { withoutGrammar } from '../../summary/clean-prose.ts';
import type { Decision } from './read-decisions.ts';
import type { Entry } from '../../transcript/entry.ts';
import type { PartLevelChange } from '../../changes/change.ts';
import type { ReviewItem } from './review-items.ts';
import type { StageInput } from '../stage-input.ts';

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
  return inventedNames(words, textsOf({ ...view.item.entry, parts })).length > 0 ? undefined : words;
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
