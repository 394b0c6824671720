import { createMessageReader } from '../metrics/message-text.ts';
import { filesOf } from '../metrics/artifacts.ts';
import { ruleSentencesOf, userTextsOf } from '../metrics/instructions.ts';
import { signedReasoningOf } from '../metrics/validity.ts';
import { usesOf } from '../metrics/future-use.ts';
import type { BenchSession } from './read-sessions.ts';
import type { MessageReader, SeenMessage } from '../metrics/message-text.ts';
import type { Use } from '../metrics/future-use.ts';

/** One recorded response: what lay before it, and what it uses. The same for every contender. */
export interface PlannedStep {
  /** H_k: the first `historyLength` messages. */
  readonly historyLength: number;
  /** Recall, survival and ledger are measured here; the budget and the cost everywhere. */
  readonly isMeasured: boolean;
  readonly uses: readonly Use[];
  /** How many of the plan's texts, sentences and files lie in H_k. */
  readonly userTextCount: number;
  readonly ruleCount: number;
  readonly fileCount: number;
}

/** A session prepared for replay. */
export interface SessionPlan {
  readonly session: BenchSession;
  readonly reader: MessageReader;
  readonly seen: readonly SeenMessage[];
  readonly steps: readonly PlannedStep[];
  /** In order of their first place; a step sees a prefix of each. */
  readonly userTexts: readonly string[];
  readonly rules: readonly string[];
  readonly files: readonly string[];
  readonly signedReasoning: ReadonlySet<string>;
}

/** Finds the responses of a session; at most `maxSteps` of them, evenly spread, are measured in full. */
export function planSteps(session: BenchSession, maxSteps: number): SessionPlan {
  const reader = createMessageReader(session.codec);
  const seen = session.messages.map((message) => reader.read(message));
  const searchTexts = seen.map(({ searchText }) => searchText);
  const starts = responseStarts(seen);
  const userTexts: string[] = [];
  const rules: string[] = [];
  const files = new Set<string>();
  const signedReasoning = new Set<string>();
  const steps: PlannedStep[] = [];
  let at = 0;
  for (const [number, start] of starts.entries()) {
    for (; at < start; at += 1) {
      const { entry } = seen[at] as SeenMessage;
      const texts = userTextsOf(entry);
      userTexts.push(...texts);
      rules.push(...texts.flatMap(ruleSentencesOf));
      for (const part of entry.parts)
        if (part.type === 'call') for (const file of filesOf(part)) files.add(file);
      for (const json of signedReasoningOf(entry)) signedReasoning.add(json);
    }
    const isMeasured = isEvenPick(number, starts.length, maxSteps);
    const end = responseEnd(seen, start);
    const calls = seen
      .slice(start, end)
      .flatMap(({ entry }) => entry.parts.filter((part) => part.type === 'call'));
    steps.push({
      historyLength: start,
      isMeasured,
      uses: isMeasured ? usesOf(calls, searchTexts.slice(0, start)) : [],
      userTextCount: userTexts.length,
      ruleCount: rules.length,
      fileCount: files.size,
    });
  }
  return { session, reader, seen, steps, userTexts, rules, files: [...files], signedReasoning };
}

/** Positions at which a response begins; a response is a run of the assistant's messages. Something must lie before it. */
function responseStarts(seen: readonly SeenMessage[]): number[] {
  return seen.flatMap(({ entry }, index) =>
    index > 0 && entry.role === 'assistant' && seen[index - 1]?.entry.role !== 'assistant' ? [index] : [],
  );
}

function responseEnd(seen: readonly SeenMessage[], start: number): number {
  let end = start;
  while (seen[end]?.entry.role === 'assistant') end += 1;
  return end;
}

/** Whether number `index` of `count` is among `most` evenly spread ones. */
export function isEvenPick(index: number, count: number, most: number): boolean {
  return count <= most || Math.floor(((index + 1) * most) / count) > Math.floor((index * most) / count);
}
