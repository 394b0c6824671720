import { fingerprintEntry } from '@throughline/core/internal';
import { fit } from '@throughline/adapters/following';
import { answeredLength, historyChain } from '../identity/history-chain.ts';
import { forgetStored, isBehind, truncatedUpTo } from '../identity/conversation-index.ts';
import { askedIn, readStand, stateBehind } from '../state/stand.ts';
import { outsideOf } from '../wire/client-request.ts';
import { StoredHistories } from '../state/stored-histories.ts';
import { ContextError } from '@throughline/core';
import type { ContextState } from '@throughline/core';
import type { AdapterOptions, FittedStep, Snapshot } from '@throughline/adapters/following';
import type { Asking, TooLarge } from './asking.ts';
import type { ContextAction } from './managed.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Conversation, Pass } from '../identity/conversation-index.ts';
import type { History, KnownRow } from '../state/stored-histories.ts';
import type { StoredPass } from '@throughline/ports';
import type { ProxyServices } from '../options/proxy-options.ts';
import type { StoreGuard } from '../state/store-guard.ts';

/** A request that is to be made fit. */
export interface FitWork {
  readonly request: ClientRequest;
  readonly asking: Asking;
  readonly options: AdapterOptions;
  readonly tooLarge: TooLarge | undefined;
}

/** What is sent for a history. */
interface Decided {
  readonly fitted: FittedStep;
  /** It was decided just now; else it is what was sent for it before. */
  readonly isNew: boolean;
}

/** What is sent for a history, and where that is kept. */
interface Making {
  readonly history: History;
  readonly made: Decided;
  readonly place: PassPlace;
  /** Version of the pass in whose place it is put. Absent: there is none, and whoever is first counts. */
  readonly replaced?: number;
}

/** The history that the pass of a request stands on. */
interface PassPlace {
  /** Number of its messages. */
  readonly messages: number;
  /** The pass that was made of this very request. */
  readonly standing?: Pass;
}

/** What two processes make of one history, each in its window, is put in each other's place so often. */
const mostTries = 3;

/** What is sent for a history is decided once: whoever asks again, here or in another process, gets the same. */
export class Decisions {
  readonly stored: StoredHistories | undefined;
  readonly #services: ProxyServices;

  constructor(services: ProxyServices, guard: StoreGuard | undefined) {
    this.#services = services;
    this.stored = guard && new StoredHistories(guard, services.clock);
  }

  /** The names of what a request contains; `undefined` where nothing is stored. */
  historyOf(
    chain: readonly string[] | undefined,
    { request, asking }: Pick<FitWork, 'request' | 'asking'>,
  ): History | undefined {
    if (!this.stored) return undefined;
    const { scope, route } = asking;
    return {
      scope,
      chain: historyChain(request, chain),
      request,
      isStrict: route.onFailure === 'closed',
    };
  }

  /**
   * Takes in what others, or an earlier process, have made of the history.
   *
   * @param row where the conversation is written down to stand, where it is not known here
   * @returns `false` where the store cannot say it
   */
  async recall(conversation: Conversation, history: History, row?: KnownRow): Promise<boolean> {
    const { stored } = this;
    if (!stored) return false;
    const { chain } = history;
    const isNews = row !== undefined && isBehind(conversation, row.requests);
    if (isNews) forgetStored(conversation, askedIn(chain, row.written));
    // The last that is known, too: its pass may have been replaced.
    const found = await stored.findPass(history, chain.slice(Math.max(0, conversation.lookedUp - 1)));
    if (!found) return false;
    const { pass } = found;
    if (pass) adopt(conversation, passFor(history.request, pass));
    if (isNews) takeStand(conversation, history, row);
    return true;
  }

  async decide(conversation: Conversation, work: FitWork, history: History | undefined): Promise<Decided> {
    const before = conversation.snapshot;
    if (!work.tooLarge && (await this.#wasDecided(conversation, work.request, history))) {
      const replayed = await replay(asSent(conversation, work.request), work);
      if (replayed) return { fitted: replayed, isNew: false };
    }
    const smaller = await madeSince(before, work);
    if (smaller) return { fitted: smaller, isNew: false };
    const fitted = await run(before, work);
    const hasChanges = fitted.step.changes.length > 0;
    const isDoubtful = history !== undefined && !work.tooLarge && mayBeDecidedOtherwise(fitted);
    if (!hasChanges && !isDoubtful) return { fitted, isNew: false };
    const made: Decided = { fitted, isNew: hasChanges };
    const place = await this.#placeOf(conversation, work.request, history);
    const decided = history ? await this.#decideStored(conversation, work, { history, made, place }) : made;
    const { state } = decided.fitted.after;
    const isKept = conversation.passes.some((pass) => pass.state === state);
    const { messages } = place;
    if (decided.isNew && !isKept) adopt(conversation, { messages, state, version: 0, isLate: false });
    return decided;
  }

  /** Whether it is known what is sent for exactly these messages. */
  async #wasDecided(
    { passes, asked }: Conversation,
    request: ClientRequest,
    history: History | undefined,
  ): Promise<boolean> {
    const { length } = request.messages;
    if (asked.has(length) || passAt(passes, length)) return true;
    return passAt(passes, answeredLength(request)) !== undefined && (await this.#wasAsked(history));
  }

  async #wasAsked(history: History | undefined): Promise<boolean> {
    return history !== undefined && (await this.stored?.knownLength(history)) === history.chain.length;
  }

  /**
   * Where the pass of a request stands: at the last answer in it, so that it counts whatever comes behind that. Where
   * something else was sent behind that answer before, it stands at the end of the request.
   */
  async #placeOf(
    { passes, asked }: Conversation,
    request: ClientRequest,
    history: History | undefined,
  ): Promise<PassPlace> {
    const { length } = request.messages;
    const answered = answeredLength(request);
    const own = passAt(passes, length);
    if (own || answered === length) return { messages: length, ...(own && { standing: own }) };
    const atAnswer = passAt(passes, answered);
    if (atAnswer)
      return asked.has(length) || (await this.#wasAsked(history))
        ? { messages: answered, standing: atAnswer }
        : { messages: length };
    const known = (history && (await this.stored?.knownLength(history))) ?? 0;
    if (!history || known <= answered) return { messages: answered };
    // Another process may have made one just now.
    const found = await this.stored?.findPass(history, history.chain.slice(answered - 1, answered));
    return { messages: found?.pass ? answered : length };
  }

  async #decideStored(conversation: Conversation, work: FitWork, making: Making): Promise<Decided> {
    const { history, place } = making;
    if (work.tooLarge || place.standing)
      return await this.#keep(conversation, work, { ...making, replaced: place.standing?.version ?? 0 });
    const replayed = (await this.#wasAsked(history)) ? await replay(conversation.snapshot, work) : undefined;
    const made = replayed && mayHaveBeenSent(replayed) ? { fitted: replayed, isNew: false } : making.made;
    return await this.#keep(conversation, work, { ...making, made });
  }

  /** Stores a pass before its request goes out; where another process was first, what that one has made is taken. */
  async #keep(conversation: Conversation, work: FitWork, making: Making, tries = 1): Promise<Decided> {
    const { history, made, place, replaced } = making;
    const before = conversation.snapshot;
    const { state } = made.fitted.after;
    const pass = { conversationId: conversation.id, state, report: this.#reportOf(made) };
    const kept = await this.stored?.keepPass(history, pass, { length: place.messages, replaced });
    if (!kept) return made;
    // Of what is its own, the very object that the request is made of.
    adopt(conversation, { ...passFrom(kept.pass), ...(kept.isOwn && { state }) });
    if (kept.isOwn) return made;
    const others = { ...before, state: kept.pass.state };
    const same = await replay(others, work);
    if (same) return { fitted: same, isNew: false };
    // It is too large for the window that is known here.
    const smaller: Decided = { fitted: await run(others, work), isNew: true };
    const next = { ...making, made: smaller, replaced: kept.pass.version };
    return tries < mostTries ? await this.#keep(conversation, work, next, tries + 1) : smaller;
  }

  #reportOf({ fitted, isNew }: Decided): Parameters<StoredHistories['keepPass']>[1]['report'] {
    const { tokens, windowTokens } = fitted.step.report;
    return {
      action: actionOf(fitted, isNew),
      tokensBefore: tokens.before,
      tokensAfter: tokens.final,
      windowTokens,
      checkpointId: fitted.step.checkpoint?.id ?? null,
      atMs: this.#services.clock.nowMs(),
    };
  }
}

export function actionOf({ step }: Pick<FittedStep, 'step'>, isNew: boolean): ContextAction {
  // Where none is in force the client's own bytes go out.
  if (!isNew) return step.state.changes.length > 0 ? 'replayed' : 'none';
  const { wasCompacted, wasPruned } = step.report;
  return wasCompacted ? 'compacted' : wasPruned ? 'pruned' : 'truncated';
}

async function run(before: Snapshot, { request, asking, options, tooLarge }: FitWork): Promise<FittedStep> {
  const { messages } = request;
  return await fit(before, messages, options, {
    ...outsideOf(request),
    signal: asking.signal,
    ...(tooLarge && { reason: 'provider-error' as const }),
    ...(tooLarge?.windowTokens !== undefined && { limitTokens: tooLarge.windowTokens }),
  });
}

/** The changes that there are, and no other; `undefined` where they are not enough. */
async function replay(
  before: Snapshot,
  { request, asking, options }: FitWork,
): Promise<FittedStep | undefined> {
  const { messages } = request;
  const policy = { ...options.policy, auto: false };
  try {
    const outside = { ...outsideOf(request), signal: asking.signal };
    return await fit(before, messages, { ...options, policy }, outside);
  } catch (error) {
    if (ContextError.is(error, 'cannot-fit')) return undefined;
    throw error;
  }
}

/**
 * What stands by now, where that is smaller than the request that was refused: another request was refused as well, and is
 * answered already. `undefined` where there is no such, or it does not fit.
 */
async function madeSince(before: Snapshot, work: FitWork): Promise<FittedStep | undefined> {
  const { refused } = work.tooLarge ?? {};
  const standing = refused && (await replay(before, work));
  return standing && estimateOf(standing) < estimateOf(refused) ? standing : undefined;
}

/** Of the messages alone, whatever the upstream has counted since. */
function estimateOf({ step }: Pick<FittedStep, 'step'>): number {
  return step.state.sentTokens ?? Infinity;
}

/** The estimate may have become so much better since. */
const mostDoubtShare = 0.15;

/** Of the trigger: who has seen more of how the upstream counts may estimate twice as much. */
const doubtfulShare = 0.5;

/** Nothing has to be done, but another process may find otherwise at this moment: whoever is first counts then, too. */
function mayBeDecidedOtherwise({ step: { report } }: FittedStep): boolean {
  return report.tokens.final >= report.triggerTokens * doubtfulShare;
}

/** What lies far above the trigger would have been made smaller: these messages are known from a longer history. */
function mayHaveBeenSent({ step: { report } }: FittedStep): boolean {
  return report.tokens.final <= report.triggerTokens * (1 + mostDoubtShare);
}

/**
 * Where exactly these messages were asked before, all of them were looked at then: a result that was left whole stays so,
 * whatever window is known since.
 */
function asSent({ snapshot, asked }: Conversation, request: ClientRequest): Snapshot {
  const { length } = request.messages;
  const { state } = snapshot;
  if (!asked.has(length) || state.truncation.end >= length) return snapshot;
  return {
    ...snapshot,
    state: { ...state, truncation: { end: length, last: fingerprintAt(request, length) } },
  };
}

/** What the last answer has taught, where another process has heard it, or this one before it was started again. */
function takeStand(conversation: Conversation, { request }: History, row: KnownRow): void {
  conversation.requests = row.requests;
  const { snapshot, passes } = conversation;
  const stand = readStand(row.written);
  conversation.usage = stand?.usage;
  conversation.isSizeRefuted = stand?.isSizeRefuted;
  const state = stand ? stateBehind(snapshot.state, stand, passes.at(-1)) : snapshot.state;
  conversation.snapshot = { ...snapshot, state: truncatedAs(request, state, answeredLength(request)) };
}

function passFrom({ length: messages, state, version, isLate }: StoredPass): Pass {
  return { messages, state, version, isLate };
}

/** A pass as it counts for a request whose messages behind its history may be others than those it was made of. */
function passFor(request: ClientRequest, stored: StoredPass): Pass {
  const pass = passFrom(stored);
  return { ...pass, state: truncatedAs(request, pass.state, pass.messages) };
}

/** A state of a history that has these first messages in common with a request, and maybe others behind them. */
function truncatedAs(request: ClientRequest, state: ContextState, shared: number): ContextState {
  const { end, last } = state.truncation;
  if (end <= shared || fingerprintAt(request, end) === last) return state;
  return truncatedUpTo(state, shared, fingerprintAt(request, shared));
}

/** Of the last of the first `length` messages. */
function fingerprintAt({ dialect, messages }: ClientRequest, length: number): string {
  return length > messages.length
    ? ''
    : fingerprintEntry(dialect.codec.decode(messages[length - 1], length - 1));
}

/** A pass counts from its history on, in place of what was made of the same one. */
function adopt(conversation: Conversation, pass: Pass): void {
  const { passes, snapshot } = conversation;
  const known = passes.at(-1);
  if (known && (known.messages > pass.messages || isKnown(known, pass))) return;
  conversation.passes = [...passes.filter(({ messages }) => messages < pass.messages), pass];
  conversation.snapshot = { ...snapshot, state: pass.state };
}

/** The one that stands on a history of so many messages. */
function passAt(passes: readonly Pass[], length: number): Pass | undefined {
  return passes.find(({ messages }) => messages === length);
}

function isKnown(known: Pass, pass: Pass): boolean {
  return known.messages === pass.messages && pass.version > 0 && known.version >= pass.version;
}
