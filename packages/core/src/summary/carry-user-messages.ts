import { cutHead, cutTail } from './cut-text.ts';
import { entryText, isSameEntry } from '../transcript/entry-text.ts';
import { injectedKind } from '../transcript/injected-text.ts';
import { ownWords } from '../transcript/own-words.ts';
import { instructionSentences } from './instruction-sentences.ts';
import { rulesOf } from './rules-of.ts';
import { messageRecallId } from '../transcript/entry.ts';
import type { CarriedMessage } from '../transcript/summary-record.ts';
import type { FoldSource, SummaryLimits } from './fold-source.ts';

export interface CarriedMessages {
  /** Oldest first. */
  readonly messages: readonly CarriedMessage[];
  readonly omitted: number;
}

// Frame of one message in the summary: its tags and recall id.
const frameTokens = 14;
const verbatimShare = 0.75;
const endChars = 500;

/**
 * The user's other messages, newest first, within `userMessageTokens`: verbatim; when the bound is near, their first
 * and last 500 characters and the rules between; then only their rules; then only counted. What tools said in the
 * user's place has what the user leaves over.
 */
export function carryUserMessages(source: FoldSource, limits: SummaryLimits): CarriedMessages {
  const candidates = [...(source.previous?.userMessages ?? []), ...newMessages(source)];
  const { estimator, userMessageTokens } = limits;
  const cost = (text: string): number => estimator.count(text) + frameTokens;
  const total = candidates.reduce((sum, { text }) => sum + cost(text), 0);
  const verbatimTokens = total <= userMessageTokens ? userMessageTokens : userMessageTokens * verbatimShare;
  const forms = [
    { of: (message: CarriedMessage) => message, limitTokens: verbatimTokens },
    { of: endsOf, limitTokens: userMessageTokens },
    { of: rulesOf, limitTokens: userMessageTokens },
  ];
  const carried = new Map<CarriedMessage, CarriedMessage>();
  let spent = 0;
  for (const message of byPriority(candidates)) {
    const kept = forms.find(({ of, limitTokens }) => {
      const form = of(message);
      return form !== undefined && spent + cost(form.text) <= limitTokens;
    });
    const form = kept?.of(message);
    if (form === undefined) continue;
    spent += cost(form.text);
    carried.set(message, form);
  }
  const omitted = candidates.length - carried.size + (source.previous?.omittedUserMessages ?? 0);
  return { messages: candidates.flatMap((message) => carried.get(message) ?? []), omitted };
}

/** Newest first; asides of tools behind all others. */
function byPriority(candidates: readonly CarriedMessage[]): CarriedMessage[] {
  const { own = [], aside = [] } = Object.groupBy(candidates.toReversed(), ({ text }) =>
    injectedKind(text) === 'aside' ? 'aside' : 'own',
  );
  return [...own, ...aside];
}

function newMessages({ entries, task, latest }: FoldSource): CarriedMessage[] {
  const messages: CarriedMessage[] = [];
  for (const entry of entries) {
    if (entry.role !== 'user' || isSameEntry(entry, task) || isSameEntry(entry, latest)) continue;
    const text = (ownWords(entry) || entryText(entry)).trim().toWellFormed();
    if (text !== '') messages.push({ recallId: messageRecallId(entry.ordinal), text, isShortened: false });
  }
  return messages;
}

/** First and last 500 characters, and the rules from between. */
function endsOf({ recallId, text }: CarriedMessage): CarriedMessage | undefined {
  if (text.length <= endChars * 2.2) return undefined;
  const head = cutHead(text, endChars);
  const tail = cutTail(text, endChars);
  const rules = instructionSentences(text.slice(head.length, text.length - tail.length));
  const middle = rules.length === 0 ? '\n[…]\n' : `\n[…]\n${rules.join('\n')}\n[…]\n`;
  return { recallId, text: `${head}${middle}${tail}`.toWellFormed(), isShortened: true };
}
