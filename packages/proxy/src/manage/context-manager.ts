import { ContextError, emptyState } from '@throughline/core';
import { actionOf, Decisions } from './decisions.ts';
import { counted, openSnapshot } from '@throughline/adapters/following';
import { NewestMap } from '../state/newest-map.ts';
import { countedFor } from '../forward/token-meter.ts';
import { fitAside, fitWholeHistory, historyText } from './aside.ts';
import { listOf } from '@throughline/core/internal';
import { loweredMaxTokens, withMargin } from './answer-limit.ts';
import { keepMarks } from './keep-marks.ts';
import { policyOf } from './route-policy.ts';
import { requestText } from './request-text.ts';
import { standJson } from '../state/stand.ts';
import { answeredLength } from '../identity/history-chain.ts';
import {
  goBack,
  goingOnAs,
  inTurn,
  isBehind,
  namesIn,
  nothingNew,
  partedFrom,
  sharedWith,
} from '../identity/conversation-index.ts';
import { SilentRefusals } from './silent-refusals.ts';
import type { ToldUsage } from '@throughline/core/internal';
import type { Asking, TooLarge } from './asking.ts';
import type { Failure } from './silent-refusals.ts';
import type { Managed } from './managed.ts';
import type { FitWork } from './decisions.ts';
import type { StoreGuard } from '../state/store-guard.ts';
import type { History, KnownRow } from '../state/stored-histories.ts';
import type { FittedStep, Snapshot } from '@throughline/adapters/following';
import type { ClientRequest } from '../wire/client-request.ts';
import type { Conversation, ConversationIndex, Relation } from '../identity/conversation-index.ts';
import type { ProxyServices } from '../options/proxy-options.ts';

/** A history that was compacted because its client asked for that. */
interface Summarised {
  readonly text: string;
  readonly checkpoint: string | null;
  readonly beforeTokens: number;
  readonly afterTokens: number;
}

/** Makes the context of requests fit, each behind the changes that its conversation has. */
export class ContextManager {
  readonly #index: ConversationIndex;
  readonly #services: ProxyServices;
  /** By session, the conversation whose history its client has compacted itself. */
  readonly #compacted = new NewestMap<string, string>(mostSessions);
  readonly #silentRefusals = new SilentRefusals();
  readonly #decisions: Decisions;

  constructor(index: ConversationIndex, services: ProxyServices, guard?: StoreGuard) {
    this.#index = index;
    this.#services = services;
    this.#decisions = new Decisions(services, guard);
  }

  /**
   * The request as it is to be sent. The same messages get the same changes, whoever asks in between.
   *
   * @throws {ContextError} `cannot-fit` when not even the irreducible part fits.
   */
  async manage(request: ClientRequest, asking: Asking, tooLarge?: TooLarge): Promise<Managed> {
    if (asking.clientCompaction !== undefined)
      return await this.#aside(this.#workOf(request, asking, tooLarge));
    const located = await this.#locate(request, asking);
    const { conversation } = located;
    return await inTurn(conversation, () => {
      // Who was served meanwhile may have gone on in another way.
      goBack(conversation, sharedWith(conversation, request));
      return this.#fit(located, this.#workOf(request, asking, tooLarge));
    });
  }

  /**
   * What the history of a request comes to, for a client that keeps nothing else of it. Nothing of it is kept here.
   *
   * @throws {ContextError} `cannot-fit` when not even the irreducible part fits.
   */
  async summarise(request: ClientRequest, asking: Asking): Promise<Summarised> {
    const { conversation, options } = await this.#beside(request, asking);
    const { signal } = asking;
    const before = conversation.snapshot;
    const { rendered, step } = await fitWholeHistory({ before, request, options, signal });
    const { codec } = request.dialect;
    return {
      text: historyText(codec, rendered),
      checkpoint: step.checkpoint?.id ?? null,
      beforeTokens: step.report.tokens.before,
      afterTokens: step.report.tokens.final,
    };
  }

  /** Takes in what the upstream counted for a request; nothing, where a newer one of the conversation was sent meanwhile. */
  count({ conversation, snapshot, step }: Managed, usage: ToldUsage): void {
    if (conversation.snapshot !== snapshot) return;
    const { inputTokens, outputTokens } = usage;
    conversation.snapshot = counted(snapshot, inputTokens);
    const told = { inputTokens, outputTokens };
    conversation.usage = { ...told, estimatedTokens: step.report.tokens.final };
    conversation.news = { ...conversation.news, usage: told };
  }

  /**
   * Writes down a request: where its conversation stands. Where others share the store, its answer does not end before
   * that: what goes on behind it may come to one of them.
   */
  async answered({ conversation, snapshot, history }: Managed, asking: Asking): Promise<void> {
    if (!history) return;
    const { route, owner, label } = asking;
    const { stored } = this.#decisions;
    // Nobody has asked anything else in it meanwhile.
    const isNewest = conversation.snapshot.transcript === snapshot.transcript;
    const { usage, ...news } = conversation.news;
    const counted = isNewest
      ? standJson({
          state: conversation.snapshot.state,
          pass: conversation.passes.at(-1),
          usage: conversation.usage,
          isSizeRefuted: conversation.isSizeRefuted,
          ...namesIn(conversation, history),
        })
      : usage;
    conversation.news = nothingNew;
    stored?.note(history, conversation, {
      route: route.name,
      owner,
      ...(label !== undefined && { label }),
      ...news,
      ...(counted !== undefined && { usage: counted }),
    });
    if (this.#services.sharesStore === true) await stored?.noted();
  }

  /** The upstream has answered, or has said that a request is too large. */
  heard({ conversation }: Managed): void {
    this.#silentRefusals.heard(conversation);
  }

  /** Whether a refusal that says nothing may be for the size of this request. */
  mayMeanSize({ conversation }: Managed): boolean {
    return !this.#silentRefusals.wereInVain(conversation);
  }

  /** Takes back what was made smaller for a refusal that has said nothing, where that was in vain. */
  async takeBack({ conversation }: Managed, failure: Failure): Promise<void> {
    const nowMs = this.#services.clock.nowMs();
    const { stored } = this.#decisions;
    await inTurn(conversation, () => this.#silentRefusals.takeBack(conversation, failure, { stored, nowMs }));
  }

  /** Resolves when all that was written down is stored. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#decisions.stored?.done();
  }

  /**
   * The conversation that a request goes on with. Where others share the store it says which one, whatever is in memory:
   * each of them finds the one that one alone would go on with.
   */
  async #locate(request: ClientRequest, asking: Asking): Promise<Located> {
    const relation = this.#index.find(asking.scope, request);
    const nearest = relation?.conversation;
    const isSame = relation?.type === 'same';
    const history = this.#decisions.historyOf(nearest?.chain.slice(0, relation?.shared), { request, asking });
    const isShared = this.#services.sharesStore === true;
    const here = {
      ...(isSame && isShared && { id: relation.conversation.id }),
      shared: isSame && relation.isWhole ? relation.shared : 0,
    };
    const known = history && (await this.#decisions.stored?.recognise(history, here));
    if (!known) return { conversation: this.#follow(request, asking, relation), history };
    const isCurrent = isSame && !isBehind(relation.conversation, known.ownRequests);
    const isOwn = isCurrent && (relation.conversation.isRecognised || known.ownRequests !== undefined);
    const isStale = isSame && !isCurrent;
    const isNearest = (one: KnownRow): boolean =>
      (!isOwn || one.shared >= relation.shared) && (isStale || this.#isNews(one, isShared));
    const first = known.rows.find((one) => (isOwn && one.id === relation.conversation.id) || isNearest(one));
    const row = isOwn && first?.id === relation.conversation.id ? undefined : first;
    const base = row || !isCurrent ? relation && { ...relation, type: 'fork' as const } : relation;
    const held = row && this.#index.withId(row.id);
    const conversation = held ?? this.#follow(request, asking, base, row);
    conversation.isRecognised = true;
    return { conversation, history, wasAsked: known.wasAsked, ...(row && { row }) };
  }

  /** What is in memory was compared with the request already: it counts, unless another process has made more of it. */
  #isNews({ id, requests }: KnownRow, isShared: boolean): boolean {
    const held = this.#index.withId(id);
    return !held || (isShared && isBehind(held, requests));
  }

  #follow(request: ClientRequest, asking: Asking, relation?: Relation, row?: KnownRow): Conversation {
    const goesOnAlone = relation?.type === 'same' && hasLatePass(relation.conversation, request);
    if (relation?.type === 'same' && !goesOnAlone) return relation.conversation;
    const opened = openSnapshot(request.dialect.codec, emptyState(), this.#adapterOptions(asking, request));
    const nowMs = this.#services.clock.nowMs();
    const parted = partedFrom(relation, { scope: asking.scope, opened, nowMs });
    if (goesOnAlone) return goingOnAs(parted, relation.conversation);
    return row ? { ...parted, id: row.id, parentId: undefined, unstoredSinceMs: undefined } : parted;
  }

  /**
   * A client that has compacted its history goes on with a short one, and with nothing that tells where it is from but
   * the name of its session.
   */
  async #findParent(
    conversation: Conversation,
    { request, asking }: FitWork,
    history?: History,
  ): Promise<void> {
    const { body, instructions, messages, offersRecall } = request;
    const { label, scope } = asking;
    // Titles and the like are asked for under the name of the session, too.
    const ownTools = listOf(body['tools']).length - (offersRecall ? 1 : 0);
    const goesOn = ownTools > 0 || instructions.length + messages.length > 2;
    if (label === undefined || !goesOn || conversation.parentId !== undefined) return;
    const session = sessionOf(scope, label);
    const known = this.#compacted.get(session);
    // Told once.
    this.#compacted.delete(session);
    // Where both know it, the store forgets it, too.
    const stored = history && (await this.#decisions.stored?.takeCompacted(history, label));
    const parentId = known ?? stored;
    if (parentId === undefined || parentId === conversation.id) return;
    conversation.parentId = parentId;
    this.#services.log?.info({ parentId }, '[Context] A conversation goes on behind its client’s compaction');
  }

  /** The conversation that a request would go on with; what is done with it is not kept. */
  async #beside(
    request: ClientRequest,
    asking: Asking,
  ): Promise<{
    readonly conversation: Conversation;
    readonly options: Parameters<typeof openSnapshot>[2];
  }> {
    const { conversation, history, row } = await this.#locate(request, asking);
    const isKnown = this.#index.has(conversation);
    await inTurn(conversation, async () => {
      if (history && (row || !isKnown)) await this.#decisions.recall(conversation, history, row);
    });
    const oldId = isKnown || row ? conversation.id : conversation.parentId;
    const { label, scope } = asking;
    if (label !== undefined && oldId !== undefined) {
      this.#compacted.set(sessionOf(scope, label), oldId);
      this.#decisions.stored?.noteCompaction(scope, oldId, label);
    }
    return { conversation, options: this.#adapterOptions(asking, request) };
  }

  async #aside({ request, asking, tooLarge }: FitWork): Promise<Managed> {
    const { conversation, options } = await this.#beside(request, asking);
    const { signal } = asking;
    const before = conversation.snapshot;
    const fitted = await fitAside({ before, request, options, signal, tooLarge });
    const isEdited = fitted.after.state.changes.length > 0;
    return this.#managed({ request, asking, fitted, isEdited }, conversation, {
      snapshot: { ...fitted.after, sent: [] },
      action: 'client-compaction',
    });
  }

  async #fit({ conversation, history, row, wasAsked = false }: Located, work: FitWork): Promise<Managed> {
    const { request, asking } = work;
    const isFollowed = this.#index.has(conversation);
    const wasLookedUp = history && (await this.#decisions.recall(conversation, history, row));
    if (wasAsked) conversation.asked = new Set([...conversation.asked, request.messages.length]);
    if (!isFollowed && !row) await this.#findParent(conversation, work, history);
    const { snapshot, passes, news } = conversation;
    const { fitted, isNew } = await this.#decisions.decide(conversation, work, history);
    const { refused, isSilent } = work.tooLarge ?? {};
    if (isNew && refused && isSilent)
      this.#silentRefusals.answered(conversation, refused, { snapshot, passes, news });
    // A client resends its own messages and never our view: nothing is compared with what was sent.
    const after: Snapshot = { ...fitted.after, sent: [] };
    conversation.snapshot = after;
    conversation.asked = new Set([...conversation.asked, request.messages.length]);
    if (history) conversation.chain = history.chain;
    // What stands behind the last answer is looked up again: another process may put its own in that place.
    if (history && wasLookedUp) conversation.lookedUp = answeredLength(request);
    if (isNew && fitted.step.checkpoint)
      conversation.news = { ...conversation.news, compactions: conversation.news.compactions + 1 };
    this.#index.keep(conversation, request);
    const isEdited = after.state.changes.length > 0;
    const managed = this.#managed({ request, asking, fitted, isEdited }, conversation, {
      snapshot: after,
      action: actionOf(fitted, isNew),
    });
    return { ...managed, ...(history && { history }) };
  }

  #managed(
    { request, asking, fitted, isEdited }: DoneWork,
    conversation: Conversation,
    { snapshot, action }: Pick<Managed, 'snapshot' | 'action'>,
  ): Managed {
    const { limits, route } = asking;
    const { dialect, body } = request;
    const { window } = limits;
    const asksUsage = route.includeUsage === true && dialect.askingForUsage(body) !== undefined;
    const maxTokens =
      window.source === 'default'
        ? undefined
        : loweredMaxTokens(request, withMargin(fitted.step.report.tokens.final), window.tokens)?.tokens;
    const messages = isEdited ? keepMarks(fitted.rendered, request.messages) : fitted.rendered;
    const text = requestText(request, { ...(isEdited && { messages }), asksUsage, maxTokens });
    return {
      conversation,
      snapshot,
      text: text === request.text ? undefined : text,
      action,
      messages,
      step: fitted.step,
      ...(maxTokens !== undefined && { maxTokens }),
      asksUsage,
      limits,
    };
  }

  #workOf(request: ClientRequest, asking: Asking, tooLarge: TooLarge | undefined): FitWork {
    return { request, asking, options: this.#adapterOptions(asking, request), tooLarge };
  }

  #adapterOptions(asking: Asking, request: ClientRequest): Parameters<typeof openSnapshot>[2] {
    const { route, endpoint, limits } = asking;
    const writer = this.#services.summariserFor?.(endpoint);
    const driver = writer && countedFor(this.#services.quota, asking.owner, writer);
    return {
      policy: policyOf(route, limits, { hasModel: driver !== undefined, request }),
      ...(driver && { driver }),
    };
  }
}

/** The conversation of a request, and where it is written down to stand, where that is not known here. */
interface Located {
  readonly conversation: Conversation;
  readonly history: History | undefined;
  /** It was a request before, of whatever process. */
  readonly wasAsked?: boolean;
  readonly row?: KnownRow;
}

/** What was made of its history last is for that history alone, and this one is longer. */
function hasLatePass({ passes }: Conversation, { messages }: ClientRequest): boolean {
  const last = passes.at(-1);
  return last?.isLate === true && messages.length > last.messages;
}

/** Clients that have compacted their history, and have not gone on yet. */
const mostSessions = 1_000;

/** The session that a client names, in its scope. */
function sessionOf(scope: string, label: string): string {
  return `${scope} ${label}`;
}

interface DoneWork extends Pick<FitWork, 'request' | 'asking'> {
  readonly fitted: FittedStep;
  readonly isEdited: boolean;
}

/** The error of a request that cannot be made to fit, for the client: which parts take the room. */
export function cannotFitOf(error: unknown): ContextError<'cannot-fit'> | undefined {
  return ContextError.is(error, 'cannot-fit') ? error : undefined;
}
