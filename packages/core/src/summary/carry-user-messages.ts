import { cutHead, cutTail } from './cut-text.ts';
import { entryText, isSameEntry } from '../transcript/entry-text.ts';
import { isInjected, ownWords } from '../transcript/own-words.ts';
import { instructionSentences } from './instruction-sentences.ts';
import { rulesOf } from './rules-of.ts';
import { messageRecallId } from '../transcript/entry.ts';
import { splitAsides } from './split-asides.ts';
import type { CarriedMessage } from '../transcript/summary-record.ts';
import type { FoldSource, SummaryLimits } from './fold-source.ts';

export interface CarriedMessages {
  /** Oldest first. */
  readonly messages: readonly CarriedMessage[];
  /** How many of the user's are archived only. */
  readonly omitted: number;
}

// Frame of one message in the summary: its tags and recall id.
const frameTokens = 14;
const verbatimShare = 0.75;
const endChars = 500;

/**
 * The user's other messages, newest first, within `userMessageTokens`: verbatim; when the bound is near, their first
 * and last 500 characters and the rules between; then only their rules; then only counted. What tools said in the
 * user's place has what the user leaves over, verbatim or not at all.
 */
export function carryUserMessages(source: FoldSource, limits: SummaryLimits): CarriedMessages {
  const candidates = [...(source.previous?.userMessages ?? []), ...newMessages(source)];
  const { own, asides } = splitAsides(candidates.toReversed());
  const { estimator, userMessageTokens } = limits;
  const cost = (text: string): number => estimator.count(text) + frameTokens;
  const total = own.reduce((sum, { text }) => sum + cost(text), 0);
  const verbatimTokens = total <= userMessageTokens ? userMessageTokens : userMessageTokens * verbatimShare;
  const verbatim = { of: (message: CarriedMessage) => message, limitTokens: verbatimTokens };
  const shorter = [endsOf, rulesOf].map((of) => ({ of, limitTokens: userMessageTokens }));
  const carried = new Map<CarriedMessage, CarriedMessage>();
  let spent = 0;
  const carry = (message: CarriedMessage, forms: readonly Form[]): void => {
    const fits = ({ of, limitTokens }: Form): boolean => {
      const form = of(message);
      return form !== undefined && spent + cost(form.text) <= limitTokens;
    };
    const form = forms.find(fits)?.of(message);
    if (form === undefined) return;
    spent += cost(form.text);
    carried.set(message, form);
  };
  for (const message of own) carry(message, [verbatim, ...shorter]);
  const omitted = own.length - carried.size + (source.previous?.omittedUserMessages ?? 0);
  for (const message of asides) carry(message, [verbatim]);
  return { messages: candidates.flatMap((message) => carried.get(message) ?? []), omitted };
}

interface Form {
  readonly of: (message: CarriedMessage) => CarriedMessage | undefined;
  /** How much of the room is taken at most with it. */
  readonly limitTokens: number;
}

function newMessages({ entries, task, latest }: FoldSource): CarriedMessage[] {
  const messages: CarriedMessage[] = [];
  for (const entry of entries) {
    if (entry.role !== 'user' || isSameEntry(entry, task) || isSameEntry(entry, latest)) continue;
    const text = (ownWords(entry) || (isInjected(entry) ? entryText(entry) : '')).trim().toWellFormed();
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
