import { addRecall } from '../metrics/future-use.ts';
import { anthropicPrices, createPrefixMatch, openaiPrices, stepCost } from '../metrics/cost.ts';
import { brokenRules } from '../metrics/validity.ts';
import { createMessageReader } from '../metrics/message-text.ts';
import { createTally } from './tally.ts';
import { pathsNamedIn } from '../metrics/artifacts.ts';
import type { Contender, Sent } from './contender.ts';
import type { SeenMessage } from '../metrics/message-text.ts';
import type { PlannedStep, SessionPlan } from './plan-steps.ts';
import type { SentMessage } from '../metrics/cost.ts';
import type { Tally } from './tally.ts';

export interface ReplaySetting {
  readonly budgetTokens: number;
  readonly windowTokens: number;
  readonly outputReserveTokens: number;
  readonly tokensOf: (message: SeenMessage) => number;
  /** T() of system text and tools outside the messages: the same for all contenders. */
  readonly outsideTokens: number;
}

/** Replays one session step by step with one contender. */
export async function replaySession(
  plan: SessionPlan,
  contender: Contender,
  setting: ReplaySetting,
): Promise<Tally> {
  const tally = createTally();
  tally.sessions = 1;
  const run = contender.start(plan.session, setting.budgetTokens);
  const reader = run.codec === plan.session.codec ? plan.reader : createMessageReader(run.codec);
  const count = (messages: readonly unknown[]): number =>
    messages.reduce<number>((sum, message) => sum + setting.tokensOf(reader.read(message)), 0);
  const sizes = plan.seen.map(setting.tokensOf);
  const prefix = createPrefixTracker(tally);
  const seenTexts = createSeenTexts(plan);
  let historyTokens = 0;
  let known = 0;
  let hasTriggered = false;
  for (const step of plan.steps) {
    const newTokens = sumOf(sizes, known, step.historyLength);
    const formerTokens = historyTokens;
    historyTokens += newTokens;
    known = step.historyLength;
    const start = performance.now();
    const answer = run.step(step.historyLength, count);
    const sent = answer instanceof Promise ? await answer : answer;
    tally.stepMs.push(performance.now() - start);
    tally.steps += 1;
    tally.baseTokens += historyTokens;
    tally.baseAnthropicCost += stepCost(historyTokens, formerTokens, anthropicPrices);
    tally.baseOpenaiCost += stepCost(historyTokens, formerTokens, openaiPrices);
    hasTriggered ||= historyTokens > setting.budgetTokens;
    if (!sent) {
      tally.unsendableSteps += 1;
      if (step.isMeasured) addMisses(tally, step, hasTriggered);
      continue;
    }
    const seen = sent.messages.map((message) => reader.read(message));
    const request = sent.messages.map((message, index) => ({
      message,
      tokens: setting.tokensOf(seen[index] as SeenMessage),
    }));
    const sentTokens = request.reduce((sum, { tokens }) => sum + tokens, 0);
    run.observe?.(sentTokens);
    addSize(tally, sentTokens, hasTriggered, setting);
    prefix.add(request, { sentTokens, newTokens, isCompaction: sent.isCompaction === true });
    tally.determinismFaults += sent.faults ?? 0;
    addValidity(tally, seen, plan);
    if (!step.isMeasured) continue;
    tally.measuredSteps += 1;
    addFutureUse(tally, step, seen, isChanged(sent, plan, step));
    addSurvival(tally, step, plan, seenTexts, { sent, seen });
  }
  return tally;
}

function sumOf(sizes: readonly number[], from: number, end: number): number {
  let sum = 0;
  for (let index = from; index < end; index += 1) sum += sizes[index] ?? 0;
  return sum;
}

function addSize(tally: Tally, sentTokens: number, hasTriggered: boolean, setting: ReplaySetting): void {
  const { budgetTokens, windowTokens, outputReserveTokens, outsideTokens } = setting;
  tally.sentTokens += sentTokens;
  tally.maxTokens = Math.max(tally.maxTokens, sentTokens);
  if (sentTokens > budgetTokens) tally.stepsOverBudget += 1;
  if (sentTokens + outsideTokens + outputReserveTokens > windowTokens) tally.overflowSteps += 1;
  if (!hasTriggered) return;
  tally.loadedTokens += sentTokens;
  tally.loadedSteps += 1;
}

interface PrefixStep {
  readonly sentTokens: number;
  /** T() of what the history gained since the step before. */
  readonly newTokens: number;
  readonly isCompaction: boolean;
}

/** M4 and M5: what the server's cache holds from the request before, as if every call came within its lifetime. */
function createPrefixTracker(tally: Tally): { add(request: readonly SentMessage[], step: PrefixStep): void } {
  const match = createPrefixMatch();
  let former: readonly SentMessage[] = [];
  let formerTokens = 0;
  return {
    add(request, { sentTokens, newTokens, isCompaction }) {
      const { cachedTokens, isWhole } = match(former, request);
      tally.anthropicCost += stepCost(sentTokens, cachedTokens, anthropicPrices);
      tally.openaiCost += stepCost(sentTokens, cachedTokens, openaiPrices);
      if (isCompaction) tally.compactions += 1;
      if (former.length > 0) {
        tally.prefixSteps += 1;
        tally.prefixShareSum += formerTokens === 0 ? 1 : cachedTokens / formerTokens;
        if (!isWhole) {
          tally.breaks += 1;
          if (!isCompaction) tally.silentBreaks += 1;
          tally.rewrittenTokens += Math.max(0, sentTokens - cachedTokens - newTokens);
        }
      }
      former = request;
      formerTokens = sentTokens;
    },
  };
}

function addValidity(tally: Tally, seen: readonly SeenMessage[], plan: SessionPlan): void {
  const broken = brokenRules(
    seen.map(({ entry }) => entry),
    plan.signedReasoning,
  );
  if (broken.size > 0) tally.invalidSteps += 1;
  for (const rule of broken) tally.brokenRules[rule] += 1;
}

/** Something of the history is missing or different: the steps from here on are "post". */
function isChanged(sent: Sent, { session }: SessionPlan, { historyLength }: PlannedStep): boolean {
  if (sent.messages.length !== historyLength) return true;
  return sent.messages.some((message, index) => message !== session.messages[index]);
}

function addFutureUse(tally: Tally, step: PlannedStep, seen: readonly SeenMessage[], isPost: boolean): void {
  if (step.uses.length === 0) return;
  let hits = 0;
  for (const { entity, isFar, isLocator } of step.uses) {
    const isHit = seen.findLast(({ searchText }) => searchText.includes(entity)) !== undefined;
    const isBlankedHit =
      isHit && seen.findLast(({ blankedText }) => blankedText.includes(entity)) !== undefined;
    if (isHit) hits += 1;
    const { recall } = tally;
    addRecall(recall.all, isHit);
    addRecall(recall.blanked, isBlankedHit);
    if (isLocator) addRecall(recall.locator, isHit);
    if (isPost) addRecall(recall.post, isHit);
    if (!isFar) continue;
    addRecall(recall.far, isHit);
    addRecall(recall.blankedFar, isBlankedHit);
    if (isPost) addRecall(recall.postFar, isHit);
    if (!isLocator) continue;
    addRecall(recall.locatorFar, isHit);
    addRecall(recall.blankedLocatorFar, isBlankedHit);
  }
  tally.macroSum += hits / step.uses.length;
  tally.macroSteps += 1;
}

/** A step without a request: everything it would have used is missed. */
function addMisses(tally: Tally, step: PlannedStep, isPost: boolean): void {
  tally.measuredSteps += 1;
  addFutureUse(tally, step, [], isPost);
}

interface SeenTexts {
  /** The message of the history that holds the user text with this number, as the very object of the recording. */
  holds(index: number, present: ReadonlySet<unknown>): boolean;
}

function createSeenTexts({ seen, session, userTexts }: SessionPlan): SeenTexts {
  const holders = new Map<string, unknown[]>();
  for (const [position, { entry }] of seen.entries()) {
    if (entry.role !== 'user') continue;
    for (const part of entry.parts) {
      if (part.type === 'text')
        holders.set(part.text, [...(holders.get(part.text) ?? []), session.messages[position]]);
    }
  }
  const ofText = userTexts.map((text) => holders.get(text) ?? []);
  return { holds: (index, present) => (ofText[index] ?? []).some((message) => present.has(message)) };
}

interface SeenRequest {
  readonly sent: Sent;
  readonly seen: readonly SeenMessage[];
}

/** M6 and M7. */
function addSurvival(
  tally: Tally,
  { userTextCount, ruleCount, fileCount }: PlannedStep,
  { userTexts, rules, files, seen: history }: SessionPlan,
  seenTexts: SeenTexts,
  { sent, seen }: SeenRequest,
): void {
  const present = new Set(sent.messages);
  // Words of a user live on in the user's messages, or in what the contender wrote.
  const spoken = seen.filter(
    ({ entry }, index) => entry.role === 'user' || sent.written?.has(index) === true,
  );
  const isSpoken = (text: string): boolean => spoken.some(({ searchText }) => searchText.includes(text));
  for (let index = 0; index < userTextCount; index += 1) {
    addRecall(tally.userTexts, seenTexts.holds(index, present) || isSpoken(userTexts[index] ?? ''));
  }
  for (let index = 0; index < ruleCount; index += 1)
    addRecall(tally.ruleSentences, isSpoken(rules[index] ?? ''));
  for (let index = 0; index < fileCount; index += 1) {
    const file = files[index] ?? '';
    addRecall(tally.files, seen.findLast(({ searchText }) => searchText.includes(file)) !== undefined);
  }
  for (const index of sent.written ?? []) {
    const message = seen[index] as SeenMessage;
    for (const { path, isKnown } of writtenPathsOf(message, history))
      if (path) addRecall(tally.writtenPaths, isKnown);
  }
}

const checked = new WeakMap<SeenMessage, readonly { path: string; isKnown: boolean }[]>();

/** A written message never changes and may only name what lay before it, so it is checked once, against all. */
function writtenPathsOf(
  message: SeenMessage,
  history: readonly SeenMessage[],
): readonly { path: string; isKnown: boolean }[] {
  const found =
    checked.get(message) ??
    pathsNamedIn(message.searchText).map((path) => ({
      path,
      isKnown: history.some(({ searchText }) => searchText.includes(path)),
    }));
  checked.set(message, found);
  return found;
}
