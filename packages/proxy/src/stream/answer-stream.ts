import { firstPart } from './shared/continuation.ts';
import { dialectStreams } from './dialect-streams.ts';
import { Overlap } from './shared/overlap.ts';
import { eventText, readFields, SseSplitter } from './shared/sse-splitter.ts';
import { comment, readEvent, rewritten } from './shared/stream-event.ts';
import { TextPattern } from './shared/text-pattern.ts';
import type { AnswerPart, Continuation, StreamFault } from './shared/continuation.ts';
import type { IsDropped, SaidCall, SaidCollector, SaidParts } from './shared/said.ts';
import type { DialectName, DialectStream, Watcher } from './dialect-streams.ts';
import type { AnswerFacts } from './shared/facts.ts';
import type { SseEvent } from './shared/sse-splitter.ts';
import type { StreamEvent } from './shared/stream-event.ts';

export interface AnswerStreamOptions {
  readonly dialect: DialectName;
  /** The request asks for JSON. */
  readonly isStructured?: boolean;
  /** The prompt by our own count: told where the upstream counts none. @default 0, nothing is told */
  readonly inputTokens?: number;
  /** Chat: usage was asked for by us alone, so the client does not get it. */
  readonly hidesUsage?: boolean;
  /** Chat: the client has asked for usage. */
  readonly showsUsage?: boolean;
  readonly maxEventBytes?: number;
  /** Of calls that are held back. @default 8 MB */
  readonly maxHeldBytes?: number;
  /** A tool whose calls are not the client's: calls are held back until it is known which there are. */
  readonly ownTool?: string;
}

/** What the call that is given up has cost, by our own count: told where its upstream did not count. */
interface SpentEstimate {
  readonly outputTokens: number;
}

interface RestartOptions extends SpentEstimate {
  /** The prompt of the next call, by our own count. */
  readonly inputTokens: number;
  /** Told as content between the two. */
  readonly notice?: string;
  /** The next call goes on behind the calls of this one, with a message of its own. */
  readonly isNewMessage?: true;
}

type Bytes = readonly Uint8Array[];

/** Of calls that are held back. */
const mostHeldBytes = 8_000_000;

const blankLines: StreamEvent = { ...comment(''), bytes: new TextEncoder().encode('\n\n') };

/**
 * The answer that a client gets, out of the bytes of one upstream call or of several. The bytes of the first go out as
 * they came, event by event, but for the end of the answer or an error: those are held until the caller says what shall
 * become of them, {@link release} or {@link restart}. Behind a restart another call goes on with the text: the client
 * sees one answer.
 */
export class AnswerStream {
  readonly #rules: DialectStream;
  readonly #options: AnswerStreamOptions;
  readonly #continuation: Continuation;
  readonly #clientWatcher: Watcher;
  readonly #pattern: TextPattern | undefined;
  #watcher: Watcher;
  #splitter: SseSplitter;
  #held: StreamEvent[] = [];
  #collector: SaidCollector | undefined;
  #hasCallsHeld = false;
  #heldBytes = 0;
  #part: AnswerPart;
  /** Events are no longer those of the upstream. */
  #isEdited = false;
  #spent = { outputTokens: 0, reasoningTokens: 0 };
  #inputTokens: number;
  #pendingNotice: string | undefined;
  #out: Uint8Array[] = [];

  constructor(options: AnswerStreamOptions) {
    this.#options = options;
    this.#rules = dialectStreams[options.dialect];
    this.#continuation = this.#rules.createContinuation();
    this.#inputTokens = options.inputTokens ?? 0;
    this.#part = firstPart({ inputTokens: this.#inputTokens });
    this.#collector = this.#createCollector();
    this.#clientWatcher = this.#rules.createWatcher(options);
    this.#watcher = this.#rules.createWatcher(options);
    this.#pattern = this.#rules.textOf && new TextPattern(this.#rules.textOf);
    this.#splitter = new SseSplitter({ ...options, textIn: (event) => this.#pattern?.textIn(event) });
  }

  /** What the upstream has told in the call that runs, what is held included. */
  get answer(): AnswerFacts {
    return this.#watcher.facts;
  }

  /** What the client has, notices excluded. `fullText` is what another call has to go on with. */
  get client(): AnswerFacts {
    return this.#clientWatcher.facts;
  }

  /** The end of the answer or an error is held: `release` it or `restart`. */
  get isHolding(): boolean {
    return this.answer.isDone || this.answer.error !== undefined;
  }

  /** Calls are held, and what came behind them. */
  get isHoldingCalls(): boolean {
    return this.#hasCallsHeld;
  }

  /** Of the call that runs, where there is a tool of our own. */
  get said(): SaidParts {
    return this.#collector?.parts ?? [];
  }

  /** The answer has called our own tool. */
  get hasOwnCalls(): boolean {
    return this.#rules.calls.callsIn(this.said).some((call) => this.#isOwn(call));
  }

  /** The client has a part of an event whose rest is still to come. */
  get isInsideEvent(): boolean {
    return this.#splitter.isInsidePiece;
  }

  /** Bytes of the upstream; gives those for the client. */
  push(chunk: Uint8Array): Bytes {
    this.#splitter.each(chunk, (event) => {
      if (event.text !== undefined && this.#isPlain) this.#passText(event, event.text);
      else this.#read(event);
    });
    return this.#takeOut();
  }

  /** The upstream has closed the connection. The answer is whole only if `answer.isDone` says so now. */
  closed(): Bytes {
    const rest = this.#splitter.end();
    const last = rest && readWhole(rest);
    // Half an event is no use to anybody. Some servers leave out the last blank line.
    const isReadable = last && (!last.isBroken || last.value || last.data.trim() === '[DONE]');
    if (last && (isReadable || last.isPiece || this.isHolding)) this.#take(last);
    this.#watcher.close();
    return this.#takeOut();
  }

  /** The client gets what was held: the answer ends as the upstream ended it, but without calls of our own tool. */
  release(): Bytes {
    this.#letGoOfOthers();
    if (this.#isEdited) this.#tell(this.#continuation.flush());
    return this.#takeOut();
  }

  /**
   * The call is given up where `canContinue(client)`, or has ended with calls that nobody else shall see; the next bytes
   * are those of another, which goes on with the text.
   */
  restart({ outputTokens, inputTokens, notice, isNewMessage }: RestartOptions): Bytes {
    this.#dropEnd();
    if (this.#isEdited) this.#tell(this.#continuation.flush());
    this.#spend(outputTokens);
    this.#inputTokens = inputTokens;
    this.#watcher = this.#rules.createWatcher(this.#options);
    this.#collector = this.#createCollector();
    this.#splitter = new SseSplitter(this.#options);
    this.#isEdited = true;
    if (notice !== undefined) this.#put(this.#continuation.notice(notice));
    this.#part = {
      overlap: new Overlap(isNewMessage ? '' : this.client.fullText),
      keepsStart: false,
      spent: this.#spent,
      estimates: { inputTokens },
      ...(isNewMessage && { isNewMessage }),
    };
    this.#continuation.begin(this.#part);
    return this.#takeOut();
  }

  /** Content of our own before the answer, under the names of the answer: it comes when the answer has started. */
  noticeFirst(text: string): Bytes {
    this.#pendingNotice = text;
    this.#tellNotice();
    return this.#takeOut();
  }

  /** A line that no client hands on. */
  comment(text: string): Bytes {
    if (!this.#splitter.isInsidePiece) this.#put([comment(text)]);
    return this.#takeOut();
  }

  /** The answer ends for want of room, whatever the upstream would still have said. */
  endWithLength({ outputTokens }: SpentEstimate, notice?: string): Bytes {
    this.#dropEnd();
    const { usage } = this.answer;
    this.#spend(outputTokens);
    if (notice !== undefined) this.#put(this.#continuation.notice(notice));
    const told = {
      cacheReadTokens: usage?.cacheReadTokens ?? 0,
      cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
      inputTokens: usage?.inputTokens || this.#inputTokens,
      ...this.#spent,
    };
    this.#tell(
      this.#continuation.endWithLength({ usage: told, showsUsage: this.#options.showsUsage === true }),
    );
    return this.#takeOut();
  }

  /** The stream ends with an error of the shape that its client reads. Nothing else may follow. */
  fail(fault: StreamFault): Bytes {
    if (this.#splitter.isInsidePiece) this.#put([blankLines]);
    const isTold = this.answer.error !== undefined && this.#held.length > 0;
    // What has ended with calls of ours has an end that is none.
    if (!isTold && this.hasOwnCalls) this.#passWithout((call) => this.#isOwn(call), false);
    else this.#letGoOfOthers();
    if (!isTold) this.#put(this.#continuation.fail(fault));
    return this.#takeOut();
  }

  /** Events pass as they come. */
  get #isPlain(): boolean {
    return !this.#isEdited && this.#held.length === 0 && this.#pendingNotice === undefined;
  }

  #passText(event: SseEvent, text: string): void {
    this.#watcher.say?.(text);
    this.#collector?.say(text);
    this.#clientWatcher.say?.(text);
    this.#put([event]);
  }

  #read(sse: SseEvent): void {
    const event = readWhole(sse);
    this.#take(event);
    const passed = this.#isPlain && this.#out.at(-1) === event.bytes;
    if (event.value && passed) this.#pattern?.learn(eventText(event), event.value);
  }

  #take(event: StreamEvent): void {
    this.#watcher.take(event);
    this.#collector?.take(event);
    if (this.#holdsCall(event)) return;
    if (event.isComment) {
      // In the order in which they came.
      if (this.#held.length > 0) this.#held.push(event);
      else this.#put([event]);
      return;
    }
    const ending = this.#rules.endingOf(event, this.client.position);
    if (ending === 'end' || (ending === 'beside' && this.#held.length > 0)) this.#held.push(event);
    else {
      if (this.#held.length > 0) this.#letGo();
      this.#passAll([event]);
    }
  }

  /** From the first call on all is held: nobody knows yet for whom it is, and nothing may overtake it. */
  #holdsCall(event: StreamEvent): boolean {
    if (!this.#hasCallsHeld) {
      if (!this.#collector || !this.#rules.calls.beginsCall(event)) return false;
      // What looked like the end of the answer was none.
      this.#letGo();
      this.#hasCallsHeld = true;
      this.#heldBytes = 0;
    }
    this.#held.push(event);
    this.#heldBytes += event.bytes.byteLength;
    // A model that never ends its arguments is no reason to keep them: they are the client's, if none is ours by then.
    if (this.isOverfull && !this.hasOwnCalls) {
      this.#collector = undefined;
      this.#hasCallsHeld = false;
      this.#letGo();
    }
    return true;
  }

  /** More of calls is held than anybody would hand on: the answer is to be broken off. */
  get isOverfull(): boolean {
    const { maxHeldBytes = mostHeldBytes } = this.#options;
    return this.#hasCallsHeld && this.#heldBytes > maxHeldBytes;
  }

  #letGoOfOthers(): void {
    if (this.hasOwnCalls) this.#passWithout((call) => this.#isOwn(call), true);
    else this.#letGo();
  }

  #passWithout(isDropped: IsDropped, keepsEnd: boolean): void {
    const events = this.#collector?.without(this.#held, isDropped, keepsEnd) ?? [];
    this.#held = [];
    this.#hasCallsHeld = false;
    if (!this.#isEdited) {
      this.#isEdited = true;
      this.#continuation.begin(this.#part);
    }
    this.#passAll(events);
  }

  #isOwn({ name }: SaidCall): boolean {
    return name === this.#options.ownTool;
  }

  #createCollector(): SaidCollector | undefined {
    return this.#options.ownTool === undefined ? undefined : this.#rules.calls.createCollector();
  }

  #letGo(): void {
    const held = this.#held;
    this.#held = [];
    this.#hasCallsHeld = false;
    this.#passAll(held);
  }

  /** What is held was the end of a call, and is not the end of the answer. */
  #dropEnd(): void {
    if (this.#hasCallsHeld) return this.#passWithout(() => true, false);
    const held = this.#held;
    this.#held = [];
    this.#passAll(held.flatMap((end) => this.#continuation.contentOf(end)));
    this.#tell(held.flatMap((end) => this.#continuation.restOf?.(end) ?? []));
  }

  #passAll(events: readonly StreamEvent[]): void {
    const shown = this.#options.hidesUsage ? this.#rules.withoutUsage(events) : events;
    for (const event of shown) this.#pass(event);
  }

  #pass(event: StreamEvent): void {
    const head = this.#pendingNotice === undefined ? undefined : this.#rules.headOf(event);
    if (head) this.#continuation.saw(head);
    if (head) this.#tellNotice();
    if (this.#isEdited) this.#tell(this.#continuation.take(event));
    else {
      const told = this.#withUsage(event);
      this.#continuation.saw(told);
      this.#tell([told]);
    }
    this.#tellNotice();
  }

  #withUsage(event: StreamEvent): StreamEvent {
    const { value } = event;
    if (!value) return event;
    return rewritten(event, this.#rules.withUsage(value, { inputTokens: this.#inputTokens }));
  }

  #tellNotice(): void {
    if (this.#pendingNotice === undefined || this.client.hasContent) return;
    const events = this.#continuation.notice(this.#pendingNotice);
    if (events.length === 0) return;
    this.#pendingNotice = undefined;
    this.#put(events);
    this.#continuation.begin(this.#part);
    this.#isEdited = true;
  }

  #spend(estimate: number): void {
    const { usage } = this.answer;
    this.#spent = {
      outputTokens: this.#spent.outputTokens + (usage?.outputTokens || estimate),
      reasoningTokens: this.#spent.reasoningTokens + (usage?.reasoningTokens ?? 0),
    };
  }

  /** Content of the answer. */
  #tell(events: readonly StreamEvent[]): void {
    for (const event of events) this.#clientWatcher.take(event);
    this.#put(events);
  }

  #put(events: readonly StreamEvent[]): void {
    for (const event of events) if (event.bytes.length > 0) this.#out.push(event.bytes);
  }

  #takeOut(): Bytes {
    const out = this.#out;
    this.#out = [];
    return out;
  }
}

function readWhole(event: SseEvent): StreamEvent {
  const { text, ...known } = event;
  return readEvent(text === undefined ? event : { ...known, ...readFields(event.bytes, eventText(event)) });
}
