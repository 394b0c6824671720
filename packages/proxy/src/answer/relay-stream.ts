import { answered, failed, headersOf, spentBy } from './attempt.ts';
import { AnswerStream } from '../stream/answer-stream.ts';
import { answerRecalls } from './answer-recall.ts';
import { continueAnswer, settleUse } from './continue-answer.ts';
import { cutOf, reachesEnd, wallOf } from './cut-prompt.ts';
import { believedOverflow } from '../limits/believed-overflow.ts';
import { canContinue, estimatedOutput, OutputMeter } from '../stream/shared/facts.ts';
import { mayGoOn } from '../manage/answer-limit.ts';
import { ProxyFault } from '../wire/proxy-fault.ts';
import { recallToolName } from '../wire/recall-tool.ts';
import { isObject } from '@throughline/core/codec';
import type { ClientStream } from './client-stream.ts';
import type { Attempt, Outcome, SaidTooLarge } from './attempt.ts';
import type { Recalled } from './answer-recall.ts';
import type { UpstreamAnswer } from '../forward/upstream.ts';

/** Events that say nothing yet are held; who sends more of them is not waited for. */
const mostHeldBytes = 1_000_000;

/** An answer that outgrows the window is continued so often. */
const mostRestarts = 3;

/**
 * Hands on a stream of events, byte for byte. Until something is said its events are held: a failure that comes inside
 * the stream can then still be told as what it is, and a request that is too large can be tried again unseen. An answer
 * that runs into the end of the window is continued behind a smaller context, in the same stream.
 */
export async function relayStream(attempt: Attempt): Promise<Outcome> {
  const { client } = attempt;
  client.headers = () => headersOf(attempt);
  client.watch();
  return await new StreamRelay(attempt).run();
}

/** How one upstream answer ended: by itself, at the end of the window, or with calls that are answered here. */
type Leg =
  | { readonly type: 'ended' }
  | { readonly type: 'window-full' }
  | { readonly type: 'recalls' }
  | SaidTooLarge;

const ended: Leg = { type: 'ended' };
const windowFull: Leg = { type: 'window-full' };
const recalls: Leg = { type: 'recalls' };

class StreamRelay {
  readonly #client: ClientStream;
  readonly #stream: AnswerStream;
  readonly #meter = new OutputMeter();
  #attempt: Attempt;
  #restarts = 0;
  /** Nothing has been said: all of it is held. */
  #isSilent = true;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
    this.#client = attempt.client;
    this.#stream = new AnswerStream(streamOptions(attempt));
    this.#client.isInsideEvent = () => this.#stream.isInsideEvent;
    const notice = noticeOf(attempt, 'before');
    if (notice?.type === 'content') this.#hold(this.#stream.noticeFirst(notice.text));
    if (notice?.type === 'comment') this.#hold(this.#stream.comment(notice.text));
  }

  async run(): Promise<Outcome> {
    let { answer } = this.#attempt;
    for (;;) {
      const leg = await this.#counted(answer);
      if (leg.type === 'too-large') return leg;
      const next = await this.#next(leg);
      if (!next) break;
      answer = next;
    }
    const { error, hasContent } = this.#stream.answer;
    const outcome = error !== undefined && !hasContent && !this.#hasGoneOn ? failed : answered;
    await this.#attempt.beforeEnd(outcome.failure);
    await this.#flush();
    this.#client.end();
    return outcome;
  }

  /** The answer with which it goes on. */
  async #next({ type }: Leg): Promise<UpstreamAnswer | undefined> {
    if (type === 'window-full') return await this.#restart();
    return type === 'recalls' ? await this.#recall() : undefined;
  }

  /** Whatever becomes of it, what was asked for was taken. */
  async #counted(answer: UpstreamAnswer): Promise<Leg> {
    try {
      return await this.#relay(answer);
    } finally {
      if (answer.use) settleUse(answer.use, this.#attempt, this.#stream.answer);
    }
  }

  async #relay(answer: UpstreamAnswer): Promise<Leg> {
    const stream = this.#stream;
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        const leg = await this.#take(stream.push(chunk));
        if (!leg) continue;
        answer.body.destroy();
        return leg;
      }
    } catch (cause) {
      if (this.#attempt.ask.signal.aborted) throw cause;
      this.#breakOff(`The upstream broke off its answer: ${messageOf(cause)}.`);
      return ended;
    }
    return (await this.#take(stream.closed())) ?? this.#atEnd();
  }

  /** What came out of one chunk; how the answer ends, where it does. */
  async #take(bytes: readonly Uint8Array[]): Promise<Leg | undefined> {
    this.#hold(bytes);
    const { answer, isHolding } = this.#stream;
    if (this.#isSilent) {
      const tooLarge = this.#tooLarge();
      if (tooLarge) return tooLarge;
      if (!answer.hasContent && this.#heldBytes < mostHeldBytes) return undefined;
      this.#isSilent = false;
    }
    await this.#flush();
    if (this.#stream.isOverfull) {
      this.#breakOff('The upstream has said more than 8 MB in calls that nobody else may see.');
      return ended;
    }
    const isNearEnd =
      !isHolding &&
      reachesEnd(answer, this.#attempt, () => this.#meter.tokensOf(answer)) &&
      this.#mayRestart();
    return isNearEnd ? windowFull : undefined;
  }

  /** The upstream has said all it had to say. */
  #atEnd(): Leg {
    const stream = this.#stream;
    const { answer } = stream;
    if (wallOf(answer, this.#attempt)) {
      if (this.#mayRestart()) return windowFull;
      if (this.#restarts > 0 && this.#canContinue) return this.#endForRoom();
    }
    this.#learn();
    if (answer.isDone && answer.error === undefined && stream.hasOwnCalls) return recalls;
    const isWhole = answer.isDone || answer.error !== undefined;
    if (isWhole) this.#hold(stream.release());
    else this.#breakOff('The upstream ended its answer in the middle.');
    return ended;
  }

  /** It has been continued often enough. */
  #endForRoom(): Leg {
    const notice = noticeOf(this.#attempt, 'end');
    if (notice?.type === 'comment') this.#hold(this.#stream.comment(notice.text));
    const outputTokens = estimatedOutput(this.#stream.answer);
    const told = notice?.type === 'content' ? notice.text : undefined;
    this.#hold(this.#stream.endWithLength({ outputTokens }, told));
    return ended;
  }

  /** What is not whole is never ended as if it were. While nothing has gone out, the error has a status of its own. */
  #breakOff(message: string): void {
    if (!this.#client.isCommitted) throw new ProxyFault('broken-stream', message);
    this.#hold(this.#stream.fail({ message }));
  }

  /** Nothing of the answer has gone out, and it says that the request was too large. */
  #tooLarge(): SaidTooLarge | undefined {
    const { canRetry, managed, request, parts } = this.#attempt;
    const { answer } = this.#stream;
    if (!canRetry || typeof managed === 'string' || this.#hasGoneOn) return undefined;
    if (answer.error !== undefined) {
      const said = believedOverflow(answer.error, {
        readOverflow: parts.services.readOverflow,
        managed,
        request,
      });
      return said?.kind === 'tokens' ? this.#saidTooLarge(said.limitTokens) : undefined;
    }
    const cut = cutOf(answer, managed);
    return cut?.isWorthless === true ? this.#saidTooLarge(cut.window?.windowTokens) : undefined;
  }

  #saidTooLarge(windowTokens?: number): SaidTooLarge {
    return {
      type: 'too-large',
      ...(windowTokens !== undefined && { windowTokens }),
      handOn: async () => {
        this.#hold(this.#stream.release());
        await this.#flush();
        this.#client.end();
      },
    };
  }

  #mayRestart(): boolean {
    const { managed, request } = this.#attempt;
    if (typeof managed === 'string' || !request || this.#restarts >= mostRestarts) return false;
    if (!request.dialect.canContinue(request.body) || !this.#canContinue) return false;
    const { answer } = this.#stream;
    const saidTokens = answer.usage?.outputTokens || this.#meter.tokensOf(answer);
    return mayGoOn(request, this.#attempt.spentTokens + saidTokens);
  }

  get #canContinue(): boolean {
    return !this.#stream.isHoldingCalls && canContinue(this.#stream.client);
  }

  /** What the client hears now is no answer to its own request any more. */
  get #hasGoneOn(): boolean {
    return this.#restarts > 0 || this.#attempt.recalls !== undefined;
  }

  /** Makes room, and asks for the rest; `undefined` where there is no rest to be had. */
  async #restart(): Promise<UpstreamAnswer | undefined> {
    await this.#flush();
    const stream = this.#stream;
    const { answer } = stream;
    const outputTokens = estimatedOutput(answer);
    const spentTokens = spentBy(this.#attempt, answer);
    const next = await continueAnswer(this.#attempt, { text: stream.client.fullText, spentTokens });
    if (next.type === 'failed') {
      // An end that the upstream has told already is as true as before.
      const isTold = stream.isHolding;
      this.#hold(isTold ? stream.release() : stream.fail({ message: next.message }));
      return undefined;
    }
    this.#restarts += 1;
    const { managed, behind, promptTokens } = next;
    this.#attempt = { ...this.#attempt, managed, behind, spentTokens, promptTokens };
    const notice = noticeOf(this.#attempt, 'restart');
    if (notice?.type === 'comment') this.#hold(stream.comment(notice.text));
    this.#hold(
      stream.restart({
        outputTokens,
        inputTokens: promptTokens,
        ...(notice?.type === 'content' && { notice: notice.text }),
      }),
    );
    return next.answer;
  }

  /** Tells the model what it has asked for, and goes on with what it says then. */
  async #recall(): Promise<UpstreamAnswer | undefined> {
    await this.#flush();
    const stream = this.#stream;
    const { said, answer } = stream;
    const next = await this.#recalled({ parts: said, facts: answer });
    const outputTokens = estimatedOutput(answer);
    if (next.type === 'over') this.#hold(stream.release());
    if (next.type === 'no-room') this.#hold(stream.endWithLength({ outputTokens }));
    if (next.type === 'failed') this.#hold(stream.fail({ message: next.message }));
    if (next.type !== 'answer') return undefined;
    this.#attempt = next.attempt;
    this.#hold(stream.restart({ outputTokens, inputTokens: next.attempt.promptTokens, isNewMessage: true }));
    return next.attempt.answer;
  }

  async #recalled(
    said: Parameters<typeof answerRecalls>[1],
  ): Promise<Exclude<Recalled, { type: 'refused' }> | { readonly type: 'failed'; readonly message: string }> {
    try {
      const next = await answerRecalls(this.#attempt, said);
      if (next.type !== 'refused') return next;
      next.answer.body.destroy();
      const message = `The upstream refused to go on with its answer (${next.answer.status}).`;
      return { type: 'failed', message };
    } catch (error) {
      if (this.#attempt.ask.signal.aborted) throw error;
      const message = error instanceof ProxyFault ? error.message : 'The answer cannot be gone on with.';
      return { type: 'failed', message };
    }
  }

  #learn(): void {
    const { managed, parts, asking } = this.#attempt;
    const { answer } = this.#stream;
    if (typeof managed === 'string' || !asking || this.#hasGoneOn) return;
    const cut = cutOf(answer, managed);
    if (cut?.window) parts.windows.learn(asking.endpoint, cut.window.windowTokens);
    else if (!cut && answer.usage && answer.usage.inputTokens > 0) parts.manager.count(managed, answer.usage);
  }

  #hold(bytes: readonly Uint8Array[]): void {
    for (const one of bytes) {
      this.#held.push(one);
      this.#heldBytes += one.byteLength;
    }
  }

  async #flush(): Promise<void> {
    const [first, ...others] = this.#held;
    if (!first) return;
    this.#held = [];
    this.#heldBytes = 0;
    await this.#client.write(others.length === 0 ? first : Buffer.concat([first, ...others]));
  }
}

function streamOptions({ ask, managed, request }: Attempt): ConstructorParameters<typeof AnswerStream>[0] {
  const { dialect } = ask;
  const options = request?.body['stream_options'];
  const showsUsage = isObject(options) && options['include_usage'] === true;
  return {
    dialect: dialect.name,
    isStructured: request !== undefined && !dialect.canContinue(request.body),
    showsUsage,
    ...(typeof managed !== 'string' && request?.offersRecall && { ownTool: recallToolName }),
    ...(typeof managed !== 'string' && {
      inputTokens: managed.step.report.tokens.final,
      hidesUsage: managed.asksUsage && !showsUsage,
    }),
  };
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** What a client is told of a compaction inside its answer, where its route says so. */
interface Notice {
  readonly type: 'comment' | 'content';
  readonly text: string;
}

const noticeTexts = {
  before: '✅ Context compacted.\n\n',
  restart: '\n\n⚙️ Compacting conversation history…\n✅ Context compacted, continuing…\n\n',
  end: '\n\n⚙️ The answer ends here: the context window is full.',
} as const;

const untold: ReadonlySet<string> = new Set(['none', 'replayed', 'client-compaction']);

/** `undefined` where nothing was compacted, or nothing is told. */
function noticeOf({ ask, managed }: Attempt, when: keyof typeof noticeTexts): Notice | undefined {
  const { notices = 'none' } = ask.route;
  if (notices === 'none' || typeof managed === 'string') return undefined;
  const { action } = managed;
  if (when === 'before' && untold.has(action)) return undefined;
  const { before, final } = managed.step.report.tokens;
  return notices === 'content'
    ? { type: 'content', text: noticeTexts[when] }
    : when === 'end'
      ? { type: 'comment', text: 'context full: the answer ends here' }
      : { type: 'comment', text: `context ${action}: ${before} -> ${final} tokens` };
}
