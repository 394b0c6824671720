import {
  appendMessages,
  emptyState,
  openTranscript,
  prune,
  recordUsage,
  renderView,
} from '@throughline/core';
import { biggestParts, isRangeChange, replay, wholeRequests } from '@throughline/core/internal';
import { createBackgroundSummary, runStep } from '@throughline/ports';
import { adaptMessages, holdsMedia, mediaSupportOf } from '../media/media-support.ts';
import { loadMedia } from '../media/session-media.ts';
import { contextItemsOf } from './context-items-of.ts';
import { contextUsageOf } from './context-usage-of.ts';
import { transcriptOptionsOf } from './context-setup.ts';
import { loadAll, openHistory } from './open-history.ts';
import { sizeOf } from './size-of.ts';
import { pinsName, readPins, withPins } from './pins.ts';
import { createWireEncoder, withWholeWire } from './wire-encoder.ts';
import type {
  CannotFit,
  ContextState,
  ModelRequest,
  Policy,
  Ready,
  Transcript,
  View,
} from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';
import type { MeasuredView } from '@throughline/core/internal';
import type { Change, MeasuredPart, RenderedMessage } from '@throughline/core/types';
import type {
  BackgroundSummary,
  Driver,
  RunStepOptions,
  SessionStore,
  StepEnd,
  StoredContext,
} from '@throughline/ports';
import type { ContextItems, ContextUsage, UsageByCategory } from '@throughline/protocol/types';
import type { UnsupportedMedia } from '../media/media-support.ts';
import type { Quotas } from '../quota/quotas.ts';
import type { ReadBlob } from '../media/session-media.ts';
import type { ContextSetup } from './context-setup.ts';
import type { EncodedMessages } from './wire-encoder.ts';

/** What a request is made of. */
export interface SessionRequest extends EncodedMessages {
  /** Media that this model cannot take; each stands as a note. */
  readonly unsupported: readonly UnsupportedMedia[];
}

interface From {
  readonly store: SessionStore;
  readonly sessionId: string;
  readonly quotas?: Pick<Quotas, 'counting'> | undefined;
}

/**
 * The context of one session in memory: its messages, what the engine remembers of them, and the way to a request of
 * the session's model. It writes nothing; whoever changes it stores the change first or right behind.
 */
export class SessionContext implements Disposable {
  state: ContextState;
  #setup: ContextSetup;
  readonly #sessionId: string;
  readonly #store: SessionStore;
  readonly #quotas: From['quotas'];
  #background: BackgroundSummary | undefined;
  #summariser: Driver | undefined;
  #encode: ReturnType<typeof createWireEncoder>;
  /** Messages as they were said: an edited one is another object. */
  readonly #originals = new WeakSet<object>();
  #unsupported = new Map<string, UnsupportedMedia>();
  #hasCompacted = false;
  #areFewToolsEmitted = false;
  #hasMedia = false;
  #size = 0;
  /** When something was said last. */
  #lastAtMs: number | undefined;
  /** What was shown last: looking at it costs less than making the view anew. */
  #lastView: View | undefined;
  #transcript: Transcript;
  #pins: readonly number[] = [];

  private constructor({ store, sessionId, quotas }: From, setup: ContextSetup, state: ContextState) {
    this.#quotas = quotas;
    this.#store = store;
    this.#sessionId = sessionId;
    this.#setup = setup;
    this.state = state;
    this.#transcript = openTranscript(transcriptOptionsOf(setup));
    this.#encode = this.#encoderFor(setup.driver.abilities?.hasImages);
    this.#openSummariser();
  }

  #openSummariser(): void {
    const { summariser, policy } = this.#setup;
    this.#background?.[Symbol.dispose]();
    const counted = summariser && (this.#quotas?.counting(this.#sessionId, summariser) ?? summariser);
    this.#summariser = counted && this.#withPrefixAsSent(counted);
    const driver = policy.background === false ? undefined : this.#summariser;
    this.#background = driver && createBackgroundSummary({ driver });
  }

  /** Goes on under other settings of the same model, from the next step on. */
  adopt(setup: ContextSetup): void {
    const isSameSummariser = setup.summariser === this.#setup.summariser;
    this.#setup = withPins(setup, this.#pins);
    if (!isSameSummariser || setup.policy.background === false) this.#openSummariser();
  }

  /** The context as the store has it. */
  static async load(from: From, setup: ContextSetup): Promise<SessionContext> {
    const context = new SessionContext(from, setup, emptyState());
    await context.reload();
    return context;
  }

  /** Messages that are never compacted, pruned or truncated, by their places in the history. */
  get pins(): readonly number[] {
    return this.#pins;
  }

  set pins(pins: readonly number[]) {
    this.#pins = pins;
    this.#setup = withPins(this.#setup, pins);
  }

  get setup(): ContextSetup {
    return this.#setup;
  }

  /**
   * Goes on without the tools that a model can do without, where the tools are what fills the window most; the names of
   * those that are left out, or nothing where that is no help.
   */
  async leaveOutTools(): Promise<readonly string[]> {
    const next = this.#setup.withFewTools?.();
    const [biggest] = this.biggestParts();
    if (!next || biggest?.name !== 'tools') return [];
    this.#setup = withPins(next, this.#pins);
    this.#areFewToolsEmitted = true;
    await this.reload();
    return next.untoldTools;
  }

  /** Once: tools that were left out from the beginning. */
  takeUntoldTools(): readonly string[] {
    if (this.#areFewToolsEmitted) return [];
    this.#areFewToolsEmitted = true;
    return this.#setup.untoldTools;
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  /** Messages of the full history, in memory or not. */
  get historyLength(): number {
    const { entries } = this.#transcript.conversation;
    return (entries.at(entries.length - 1)?.ordinal ?? -1) + 1;
  }

  /** About what its messages take in memory. */
  get size(): number {
    return this.#size;
  }

  /** When something was said last, as far as it is known. */
  get lastAtMs(): number | undefined {
    return this.#lastAtMs;
  }

  /** Reads state and messages anew. @param changes of a former state, whose view is wanted */
  async reload(changes?: readonly Change[]): Promise<void> {
    const stored = await this.#store.history.context(this.#sessionId, changes);
    this.state = stored.state ?? emptyState(wholeRequests);
    this.pins = readPins(await this.#store.value(this.#sessionId, pinsName));
    this.#transcript = await this.#open(stored, changes ?? this.state.changes);
  }

  /** The view of the first messages under a state of theirs; from now on the context is that of then. */
  async viewAt(state: ContextState, historyLength: number): Promise<View> {
    const stored = await this.#store.history.context(this.#sessionId, state.changes);
    const messages = stored.messages.filter(({ ordinal }) => ordinal < historyLength);
    this.state = state;
    this.#transcript = await this.#open({ ...stored, messages, historyLength }, state.changes);
    return this.#view();
  }

  /** What the view does not show any more leaves the memory; the store has it. */
  async #forgetCompacted(): Promise<void> {
    const { changes } = this.state;
    const stored = await this.#store.history.context(this.#sessionId, changes);
    this.#transcript = await this.#open(stored, changes);
  }

  async #open({ messages, historyLength }: StoredContext, changes: readonly Change[]): Promise<Transcript> {
    let size = 0;
    const loaded = await loadAll(messages, async (stored) => {
      const message = await this.hydrate(stored);
      size += this.#note(message);
      return message;
    });
    const opened = { messages: loaded, historyLength, changes };
    const transcript = await openHistory(transcriptOptionsOf(this.setup), opened);
    this.#lastView = undefined;
    this.#size = size;
    this.#lastAtMs = messages.at(-1)?.createdAtMs;
    return transcript;
  }

  /** The message with its media in it. */
  async hydrate(message: SessionMessage): Promise<SessionMessage> {
    const read: ReadBlob = (hash) => this.#store.attachments.read(this.#sessionId, hash);
    return withWholeWire(message, await loadMedia(message, read));
  }

  /** Media in it, as they are sent. */
  append(messages: readonly SessionMessage[]): void {
    for (const message of messages) this.#size += this.#note(message);
    this.#transcript = appendMessages(this.#transcript, messages);
  }

  /** One step of the engine; its state is that of the next. Nothing has changed where it is `cannot-fit`. */
  async prepare(options: Omit<RunStepOptions, 'driver' | 'background'>): Promise<Ready | CannotFit> {
    if (this.#hasCompacted) {
      this.#hasCompacted = false;
      await this.#forgetCompacted();
    }
    const step = await runStep(this.#transcript, this.state, this.#policy(), {
      ...options,
      ...(this.#summariser ? { driver: this.#summariser } : {}),
      ...(this.#background ? { background: this.#background } : {}),
    });
    // Its view still points into the messages of now: they go before the next step.
    if (step.type === 'ready') this.#lastView = step.view;
    this.#hasCompacted = step.type === 'ready' && step.checkpoint?.changes.some(isRangeChange) === true;
    return step;
  }

  /** Texts come nowhere near these limits, and to weigh a request is a walk over all of it. */
  #policy(): Policy {
    const { policy, wire } = this.setup;
    return wire && this.#hasMedia ? { ...policy, wire } : policy;
  }

  /** Remembers a message as it was said; its size. */
  #note(message: SessionMessage): number {
    this.#originals.add(message);
    this.#hasMedia ||= holdsMedia(message);
    return sizeOf(message);
  }

  /** The messages of the view of now, as they were said or as they are shown. */
  rendered(): readonly RenderedMessage<unknown>[] {
    return renderView(this.#transcript, this.#view()).messages;
  }

  /** The request of now, without making room. */
  shown(): SessionRequest {
    return this.request(this.#view());
  }

  /**
   * Prunes old output without pressure: where the prices are known, only if it pays before space is needed; else, as
   * with a server on one's own machine, wherever the least gain is reached. `undefined` when there is nothing to gain.
   */
  prune(): Ready | undefined {
    const { policy } = this.setup;
    if (policy.auto === false || policy.strategy.trigger === 'manual') return undefined;
    const step = prune(this.#transcript, policy, this.state, { idleMs: 0 });
    if (!step.checkpoint) return undefined;
    this.#lastView = step.view;
    return step;
  }

  /**
   * How full the context is now, with everything that was appended.
   *
   * @param reserved estimated tokens of what is still being written
   */
  usage(reserved: Partial<UsageByCategory> = {}): ContextUsage {
    return contextUsageOf(this.#measured(), reserved);
  }

  /** What the request of now is made of, the largest first. */
  items(limit: number): ContextItems {
    return contextItemsOf(this.#measured(), { limit, pins: this.#pins });
  }

  #measured(): MeasuredView {
    const { policy } = this.setup;
    const view = this.#lastView ?? this.#view();
    return { transcript: this.#transcript, view, state: this.state, policy };
  }

  /** What no request of this session can do without, the biggest first. */
  biggestParts(): readonly MeasuredPart[] {
    return biggestParts(this.#transcript, this.setup.policy, this.state);
  }

  #view(): View {
    return replay(this.#transcript.conversation, this.state.changes).view;
  }

  /** The model has refused images: from now on they are said in words. */
  refuseImages(): void {
    this.#encode = this.#encoderFor(false);
  }

  #encoderFor(takesImages: boolean | undefined): ReturnType<typeof createWireEncoder> {
    const { driver } = this.setup;
    const support = mediaSupportOf(driver, takesImages === undefined ? {} : { takesImages });
    return createWireEncoder({
      driver,
      adapt: (messages) =>
        adaptMessages(messages as readonly SessionMessage[], support, (left) =>
          this.#unsupported.set(`${left.messageId} ${left.part} ${left.piece}`, left),
        ),
    });
  }

  /** What was written ahead is about another view. */
  dropBackground(): void {
    this.#background?.drop();
  }

  /** The request that shows this view. */
  request(view: View, notes: readonly string[] = []): SessionRequest {
    this.#unsupported = new Map();
    const { messages, repairs } = renderView(this.#transcript, view, { notes });
    const encoded = this.#encode(messages);
    return {
      messages: encoded.messages,
      repairs: [...repairs, ...encoded.repairs],
      unsupported: [...this.#unsupported.values()],
    };
  }

  /** Remembers what the provider counted for the request that was sent last. */
  recordUsage({ usage, wasCut }: StepEnd, nowMs: number): void {
    this.#lastAtMs = nowMs;
    if (!usage) return;
    this.state = recordUsage(this.#transcript, this.state, {
      inputTokens: usage.inputTokens,
      windowTokens: this.setup.limits.window.tokens,
      ...(wasCut === true ? { wasCut } : {}),
    });
  }

  /**
   * A refusal that says how long the prompt was is a count like any other. Some count only up to their limit, so it is
   * believed where it says more than was expected.
   */
  recordRefusal(promptTokens: number): void {
    if (promptTokens <= this.usage().currentTokens) return;
    this.state = recordUsage(this.#transcript, this.state, {
      inputTokens: promptTokens,
      windowTokens: Math.max(promptTokens, this.setup.limits.window.tokens),
    });
  }

  [Symbol.dispose](): void {
    this.#background?.[Symbol.dispose]();
  }

  /** A question behind the messages of the session is asked in the form in which they were sent. */
  #withPrefixAsSent(driver: Driver): Driver {
    return {
      name: driver.name,
      complete: (request, options) => driver.complete(this.#asSent(request), options),
    };
  }

  #asSent(request: ModelRequest): ModelRequest {
    const { cachedPrefix } = request;
    if (!cachedPrefix) return request;
    const rendered = cachedPrefix.map((message): RenderedMessage<unknown> => {
      const isOriginal = this.#originals.has(message as object);
      return { source: 'entry', isEdited: !isOriginal, message };
    });
    return { ...request, cachedPrefix: this.#encode(rendered).messages.map(({ message }) => message) };
  }
}
