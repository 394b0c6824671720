import { fit } from '@throughline/adapters/following';
import { historyChain } from '../identity/history-chain.ts';
import { stateBehind } from '../state/stand.ts';
import { StoredHistories } from '../state/stored-histories.ts';
import { ContextError } from '@throughline/core';
import type { AdapterOptions, FittedStep, Snapshot } from '@throughline/adapters/following';
import type { Asking, TooLarge } from './asking.ts';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Conversation, Pass } from '../identity/conversation-index.ts';
import type { History } from '../state/stored-histories.ts';
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
export interface Decided {
  readonly fitted: FittedStep;
  /** It was decided just now; else it is what was sent for it before. */
  readonly isNew: boolean;
}

/** What is sent for a history, and the version of the pass in whose place it is put. */
interface Making {
  readonly history: History;
  readonly made: Decided;
  /** Absent: there is none, and whoever is first counts. */
  readonly replaced?: number;
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
    { chain }: Conversation,
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
   * @returns `false` where the store cannot say it
   */
  async recall(conversation: Conversation, history: History): Promise<boolean> {
    const { stored } = this;
    if (!stored) return false;
    const { chain } = history;
    if (!conversation.isRecognised) {
      const known = await stored.recognise(history);
      conversation.isRecognised = known !== undefined;
      const { conversationId } = known ?? {};
      if (conversationId !== undefined && conversationId !== conversation.parentId) {
        conversation.id = conversationId;
        conversation.unstoredSinceMs = undefined;
      }
    }
    // The last that is known, too: its pass may have been replaced.
    const found = await stored.findPass(history, chain.slice(Math.max(0, conversation.lookedUp - 1)));
    if (!found) return false;
    const { pass } = found;
    if (pass) adopt(conversation, passFrom(pass));
    if (this.#services.sharesStore === true) await this.#takeStand(conversation, history, stored);
    return true;
  }

  /** What the last answer has taught, where another process has heard it: this one estimates as that one would. */
  async #takeStand(conversation: Conversation, history: History, stored: StoredHistories): Promise<void> {
    const stand = await stored.findStand(history, conversation.id);
    if (!stand || stand.headHash === conversation.stoodAt) return;
    const { snapshot } = conversation;
    const state = stateBehind(snapshot.state, stand);
    if (state === snapshot.state) return;
    conversation.snapshot = { ...snapshot, state };
    conversation.stoodAt = stand.headHash;
    if (stand.usage) conversation.usage = stand.usage;
  }

  async decide(conversation: Conversation, work: FitWork, history: History | undefined): Promise<Decided> {
    const { length } = work.request.messages;
    const before = conversation.snapshot;
    const standing = conversation.passes.find(({ messages }) => messages === length);
    if (!work.tooLarge && (standing || conversation.asked.has(length))) {
      const replayed = await replay(before, work);
      if (replayed) return { fitted: replayed, isNew: false };
    }
    const fitted = await run(before, work);
    const hasChanges = fitted.step.changes.length > 0;
    const isDoubtful = history !== undefined && !work.tooLarge && mayBeDecidedOtherwise(fitted);
    if (!hasChanges && !isDoubtful) return { fitted, isNew: false };
    const made: Decided = { fitted, isNew: hasChanges };
    const decided = history
      ? await this.#decideStored(conversation, work, { history, made, standing })
      : made;
    const { state } = decided.fitted.after;
    const isKept = conversation.passes.some((pass) => pass.state === state);
    if (decided.isNew && !isKept) adopt(conversation, { messages: length, state, version: 0, isLate: false });
    return decided;
  }

  async #decideStored(
    conversation: Conversation,
    work: FitWork,
    { history, made, standing }: Omit<Making, 'replaced'> & { readonly standing: Pass | undefined },
  ): Promise<Decided> {
    if (work.tooLarge || standing) {
      const replaced = standing?.version ?? 0;
      return await this.#keep(conversation, work, { history, made, replaced });
    }
    const wasAsked = await this.stored?.hasSeen(history);
    const replayed = wasAsked === true ? await replay(conversation.snapshot, work) : undefined;
    const decided = replayed && mayHaveBeenSent(replayed) ? { fitted: replayed, isNew: false } : made;
    return await this.#keep(conversation, work, { history, made: decided });
  }

  /** Stores a pass before its request goes out; where another process was first, what that one has made is taken. */
  async #keep(
    conversation: Conversation,
    work: FitWork,
    { history, made, replaced }: Making,
    tries = 1,
  ): Promise<Decided> {
    const before = conversation.snapshot;
    const { state } = made.fitted.after;
    const pass = { conversationId: conversation.id, state, report: this.#reportOf(made) };
    const kept = await this.stored?.keepPass(history, pass, replaced);
    if (!kept) return made;
    // Of what is its own, the very object that the request is made of.
    adopt(conversation, { ...passFrom(kept.pass), ...(kept.isOwn && { state }) });
    if (kept.isOwn) return made;
    const others = { ...before, state: kept.pass.state };
    const same = await replay(others, work);
    if (same) return { fitted: same, isNew: false };
    // It is too large for the window that is known here.
    const smaller: Decided = { fitted: await run(others, work), isNew: true };
    const next = { history, made: smaller, replaced: kept.pass.version };
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

/** What was done to the context of a request. */
export type ContextAction = 'none' | 'replayed' | 'truncated' | 'pruned' | 'compacted' | 'client-compaction';

export function actionOf({ step, isChanged }: FittedStep, isNew: boolean): ContextAction {
  if (!isNew) return isChanged ? 'replayed' : 'none';
  const { wasCompacted, wasPruned } = step.report;
  return wasCompacted ? 'compacted' : wasPruned ? 'pruned' : 'truncated';
}

async function run(before: Snapshot, { request, asking, options, tooLarge }: FitWork): Promise<FittedStep> {
  const { dialect, body, messages } = request;
  return await fit(before, messages, options, {
    ...dialect.outside(body),
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
  const { dialect, body, messages } = request;
  const policy = { ...options.policy, auto: false };
  try {
    const outside = { ...dialect.outside(body), signal: asking.signal };
    return await fit(before, messages, { ...options, policy }, outside);
  } catch (error) {
    if (ContextError.is(error, 'cannot-fit')) return undefined;
    throw error;
  }
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

function passFrom({ length: messages, state, version, isLate }: StoredPass): Pass {
  return { messages, state, version, isLate };
}

/** A pass counts from its history on, in place of what was made of the same one. */
function adopt(conversation: Conversation, pass: Pass): void {
  const { passes, snapshot } = conversation;
  const known = passes.at(-1);
  if (known && (known.messages > pass.messages || isKnown(known, pass))) return;
  conversation.passes = [...passes.filter(({ messages }) => messages < pass.messages), pass];
  conversation.snapshot = { ...snapshot, state: pass.state };
}

function isKnown(known: Pass, pass: Pass): boolean {
  return known.messages === pass.messages && pass.version > 0 && known.version >= pass.version;
}
