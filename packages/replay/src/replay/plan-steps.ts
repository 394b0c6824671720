import { filesOf } from '../metrics/artifact-ledger.ts';
import { usesOf } from '../metrics/future-use.ts';
import { ruleSentencesOf, userTextsOf } from '../metrics/instruction-survival.ts';
import { createErrorTracker } from '../metrics/unresolved-error.ts';
import { collectSigned } from '../metrics/validity.ts';
import { createMessageReader } from '../sessions/message-text.ts';
import type { Entry } from '@throughline/core';
import type { SearchedHistory } from '../metrics/future-use.ts';
import type { SeenMessage } from '../sessions/message-text.ts';
import type { PlannedStep, SessionPlan, UserText } from '../sessions/session-plan.ts';
import type { SessionToReplay } from '../sessions/session-to-replay.ts';

interface PlanOptions {
  /** At most so many steps, evenly spread, are measured in full. */
  readonly maxSteps: number;
  readonly textTokens: (text: string) => number;
}

/** Finds the responses of a session and what each uses. */
export function planSteps(session: SessionToReplay, { maxSteps, textTokens }: PlanOptions): SessionPlan {
  const reader = createMessageReader(session.codec);
  const seen = session.messages.map((message) => reader.read(message));
  const entries = seen.map(({ entry }) => entry);
  const history = searchedHistory(seen);
  const gather = createGatherer(textTokens);
  const starts = responseStarts(entries);
  const times = responseTimes(starts, session);
  let at = 0;
  const steps = starts.map((start, number): PlannedStep => {
    for (; at < start; at += 1) gather.add(entries[at] as Entry, at);
    const isMeasured = isEvenPick(number, starts.length, maxSteps);
    const calls = entries
      .slice(start, responseEnd(entries, start))
      .flatMap(({ parts }) => parts.filter((part) => part.type === 'call'));
    const gapMs = gapBetween(times[number - 1], times[number]);
    return {
      historyLength: start,
      isMeasured,
      uses: isMeasured ? usesOf(calls, history, spotsBefore(history, start)) : [],
      ...(gapMs === undefined ? {} : { gapMs }),
      ...gather.counts(),
    };
  });
  return { session, reader, seen, steps, ...gather.found(), signedReasoning: gather.signed };
}

function searchedHistory(seen: readonly SeenMessage[]): SearchedHistory {
  return {
    spots: seen.flatMap(({ spots }) => spots),
    messageOf: seen.flatMap(({ spots }, index) => spots.map(() => index)),
  };
}

function spotsBefore({ messageOf }: SearchedHistory, messageIndex: number): number {
  const end = messageOf.findIndex((index) => index >= messageIndex);
  return end < 0 ? messageOf.length : end;
}

function responseTimes(starts: readonly number[], { timesMs }: SessionToReplay): (number | undefined)[] {
  return starts.map((start) => timesMs[start]);
}

function gapBetween(before: number | undefined, now: number | undefined): number | undefined {
  return before === undefined || now === undefined || now < before ? undefined : now - before;
}

/** Collects what the user said, which files were touched, what failed: all that grows with the history. */
function createGatherer(textTokens: (text: string) => number) {
  const userTexts: UserText[] = [];
  const rules: string[] = [];
  const files = new Set<string>();
  const errors = createErrorTracker();
  const signed = { parts: new Set<string>(), callIds: new Set<string>() };
  let before: readonly Entry[] = [];
  return {
    signed,
    add(entry: Entry, messageIndex: number): void {
      for (const text of userTextsOf(entry, before)) {
        userTexts.push({ text, tokens: textTokens(text), messageIndex });
        rules.push(...ruleSentencesOf(text));
      }
      before = [entry, ...before.slice(0, 1)];
      for (const part of entry.parts)
        if (part.type === 'call') for (const file of filesOf(part)) files.add(file);
      errors.add(entry);
      collectSigned(entry, signed);
    },
    counts() {
      const unresolvedError = errors.newest();
      return {
        userTextCount: userTexts.length,
        ruleCount: rules.length,
        fileCount: files.size,
        ...(unresolvedError === undefined ? {} : { unresolvedError }),
      };
    },
    found: () => ({ userTexts, rules, files: [...files] }),
  };
}

/** Whether number `index` of `count` is among `most` evenly spread ones. */
export function isEvenPick(index: number, count: number, most: number): boolean {
  return count <= most || Math.floor(((index + 1) * most) / count) > Math.floor((index * most) / count);
}

/**
 * Positions at which a response begins. A response is a run of the assistant's messages, because some formats write
 * one response as several items; where a message holds its calls together with their results (OpenCode), the next
 * message is the next response. Something must lie before it.
 */
function responseStarts(entries: readonly Entry[]): number[] {
  return entries.flatMap(({ role }, index) => {
    const before = entries[index - 1];
    if (before === undefined || role !== 'assistant') return [];
    return before.role !== 'assistant' || holdsResults(before) ? [index] : [];
  });
}

/** Position after the last message of the response that begins at `start`. */
function responseEnd(entries: readonly Entry[], start: number): number {
  let end = start + 1;
  while (entries[end]?.role === 'assistant' && !holdsResults(entries[end - 1])) end += 1;
  return end;
}

function holdsResults(entry: Entry | undefined): boolean {
  return entry?.parts.some((part) => part.type === 'result' && part.isProviderExecuted !== true) ?? false;
}
