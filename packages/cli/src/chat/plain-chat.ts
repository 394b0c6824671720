import { chatReducer } from './state/chat-reducer.ts';
import { exitCode } from '../outcome/exit-code.ts';
import { giveTitle } from './state/chat-services.ts';
import { isSlashCommand, runSlashCommand } from './slash/slash-commands.ts';
import { jsonLine, printableLines } from '../terminal/text.ts';
import { rowsOf } from './state/block.ts';
import { retryNotice, takenElsewhere } from './state/notices.ts';
import { startState } from './state/chat-state.ts';
import { Readable } from 'node:stream';
import { exitCodeOfError } from '../outcome/failure.ts';
import type {
  AgentEvent,
  AgentSession,
  ApprovalAnswer,
  ApprovalRequest,
  RunOutcome,
} from '@throughline/agent';
import type { Block, Tone } from './state/block.ts';
import type { ChatEvent, ChatState } from './state/chat-state.ts';
import type { ChatServices } from './state/chat-services.ts';
import type { ExitCode } from '../outcome/exit-code.ts';
import type { Cli } from '../composition/cli.ts';
import type { Style } from '../terminal/page.ts';
import type { ModelFinish } from '@throughline/ports';

interface PlainChatOptions {
  readonly services: ChatServices;
  readonly session: AgentSession;
  readonly cli: Pick<Cli, 'out' | 'err'>;
  /** How notices look. */
  readonly style: Style;
  /** Events as JSON lines instead of text. */
  readonly isJson: boolean;
  /** Aborted when the user stops. */
  readonly signal: AbortSignal;
}

interface PlainEnd {
  readonly code: ExitCode;
  /** The session that was open last. */
  readonly session: AgentSession;
  /** There was no message at all. */
  readonly isSilent: boolean;
}

/**
 * Chats without a terminal: one message after the other, the answer as it comes on standard output, all else on
 * standard error. Nobody is there to ask for an approval. Ends with the first run that does not end well.
 */
export async function chatInPlainLines(
  messages: AsyncIterable<string> | Iterable<string>,
  options: PlainChatOptions,
): Promise<PlainEnd> {
  const chat = new PlainChat(options);
  try {
    const code = await chat.run(messages);
    return { code, session: chat.session, isSilent: chat.isSilent };
  } finally {
    chat.close();
  }
}

/** Notices are not wrapped: whoever reads them may be a program. */
const noWrap = 100_000;

/** Nobody is there to ask. */
function refusalOf({ toolName, grant }: ApprovalRequest): ApprovalAnswer {
  const hint =
    grant.isExact === true
      ? `${grant.key ?? 'this'} is asked for in any case: see docs/sandbox.md`
      : `--allow ${toolName} gives it beforehand`;
  return { type: 'deny', reason: `nobody is there to give an approval (${hint})` };
}

class PlainChat {
  session: AgentSession;
  isSilent = true;
  readonly #options: PlainChatOptions;
  #state: ChatState;
  #subscription: Disposable | undefined;
  #isLineOpen = false;
  #hasSaid = false;
  #isLeaving = false;
  #lastOutcome: RunOutcome | undefined;

  constructor(options: PlainChatOptions) {
    this.#options = options;
    this.session = options.session;
    this.#state = startState(options.session.model.name, noWrap);
  }

  async run(messages: AsyncIterable<string> | Iterable<string>): Promise<ExitCode> {
    const { services, signal } = this.#options;
    for (const { text, tone } of services.notices) this.#say(text, tone);
    await this.#open(this.session);
    signal.addEventListener('abort', () => void this.session.cancel(), { once: true });
    let code: ExitCode = exitCode.ok;
    for await (const message of messages) {
      if (signal.aborted) break;
      if (message.trim() === '') continue;
      this.isSilent = false;
      const next = isSlashCommand(message) ? await this.#command(message) : await this.#send(message);
      if (next !== exitCode.ok) code = next;
      if (next !== exitCode.ok || signal.aborted || this.#isLeaving) break;
    }
    return signal.aborted ? exitCode.interrupted : code;
  }

  close(): void {
    this.#endLine();
    this.#subscription?.[Symbol.dispose]();
  }

  async #send(text: string): Promise<ExitCode> {
    const { isQueued } = await this.session.send(text);
    await giveTitle(this.session, text);
    if (isQueued && !this.session.isRunning) {
      this.#say(takenElsewhere, 'warning');
      return exitCode.notGood;
    }
    if (this.#options.signal.aborted) await this.session.cancel();
    const outcome = await this.session.settled();
    // The end of a run that could not be stored is told of by nobody.
    if (outcome && this.#state.run) this.#reduce({ type: 'chat:ended', outcome });
    return outcome ? exitCodeOfOutcome(outcome) : exitCode.notGood;
  }

  async #command(line: string): Promise<ExitCode> {
    let isBad = false;
    this.#lastOutcome = undefined;
    await runSlashCommand(line.trim(), {
      services: this.#options.services,
      session: this.session,
      columns: noWrap,
      signal: this.#options.signal,
      say: (text, tone = 'plain') => {
        if (tone === 'bad' || tone === 'warning') isBad = true;
        this.#say(text, tone);
      },
      print: (blocks) => this.#print(blocks),
      open: (session) => this.#open(session),
      leave: () => (this.#isLeaving = true),
    });
    await this.session.settled();
    if (this.#lastOutcome) return exitCodeOfOutcome(this.#lastOutcome);
    return isBad ? exitCode.notGood : exitCode.ok;
  }

  async #open(session: AgentSession): Promise<void> {
    this.#subscription?.[Symbol.dispose]();
    this.session = session;
    const data = { sessionId: session.id, model: session.model.name };
    if (this.#options.isJson) this.#options.cli.out(jsonLine({ type: 'chat:session', data }));
    for (const request of await session.approvals.pending())
      await session.approvals.answer(request.id, refusalOf(request));
    this.#subscription = session.subscribe((event) => this.#told(event));
  }

  #told(event: AgentEvent): void {
    if (event.type === 'approval:requested') {
      const { request } = event.data;
      void this.session.approvals.answer(request.id, refusalOf(request)).catch(() => undefined);
    }
    if (event.type === 'run:end') this.#lastOutcome = event.data.outcome;
    if (this.#options.isJson) return this.#options.cli.out(jsonLine(event));
    if (event.type === 'llm:chunk') this.#stream(event);
    if (event.type === 'llm:retry') this.#sayRetry(event);
    this.#reduce(event);
  }

  /** A terminal counts down; here nothing else would be seen for half a minute. */
  #sayRetry({ atMs, data }: Extract<AgentEvent, { type: 'llm:retry' }>): void {
    const { text, tone } = retryNotice(data, atMs);
    this.#say(text, tone);
  }

  /** The answer as it comes: not a row later. */
  #stream({ data }: Extract<AgentEvent, { type: 'llm:chunk' }>): void {
    const { chunkType, content, messageId, part, isComplete } = data;
    if (chunkType !== 'text') return;
    const shown = this.#state.seen[`${messageId}:${part}`] ?? 0;
    const text = printableLines(isComplete === true ? content.slice(shown) : content).join('\n');
    if (text !== '') {
      if (shown === 0 && this.#hasSaid) this.#options.cli.out('\n');
      this.#options.cli.out(text);
      this.#hasSaid = true;
      this.#isLineOpen = !text.endsWith('\n');
    }
    if (isComplete === true) this.#endLine();
  }

  #endLine(): void {
    if (this.#isLineOpen) this.#options.cli.out('\n');
    this.#isLineOpen = false;
  }

  #reduce(event: ChatEvent): void {
    const { state, blocks } = chatReducer(this.#state, event);
    this.#state = state;
    this.#print(
      blocks.filter(({ speaker, text }) => text !== '' && speaker !== 'text' && speaker !== 'user'),
    );
  }

  #print(blocks: readonly Block[]): void {
    if (blocks.length > 0) this.#endLine();
    for (const block of blocks)
      for (const row of rowsOf(block, noWrap, this.#options.style)) this.#options.cli.err(`${row}\n`);
  }

  #say(text: string, tone: Tone): void {
    this.#print([{ speaker: 'notice', tone, text, mark: '· ' }]);
  }
}

interface LinesOptions {
  /** All of it is one message. */
  readonly isOne: boolean;
  /** Nobody wants more when it is aborted. */
  readonly signal: AbortSignal;
}

/** Messages from a text that comes in pieces: a line each, or all of it. */
export async function* linesOf(
  pieces: AsyncIterable<string>,
  { isOne, signal }: LinesOptions,
): AsyncGenerator<string, void, undefined> {
  const reading = pieces[Symbol.asyncIterator]();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  let rest = '';
  try {
    while (!signal.aborted) {
      const next = await Promise.race([reading.next(), aborted]);
      if (next === undefined || next.done === true) break;
      rest += next.value;
      if (isOne) continue;
      const lines = rest.split(/\r\n|\n/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (!signal.aborted && rest.trim() !== '') yield rest;
  } finally {
    // Whoever still holds the other end must not hold us.
    if (pieces instanceof Readable) pieces.destroy();
  }
}

/** An answer that is cut or refused is not what was asked for. */
const finishCodes: Readonly<Record<ModelFinish, ExitCode>> = {
  stop: exitCode.ok,
  'tool-calls': exitCode.ok,
  paused: exitCode.ok,
  other: exitCode.ok,
  length: exitCode.notGood,
  'window-full': exitCode.notGood,
  refusal: exitCode.notGood,
};

const outcomeCodes: Readonly<Record<Exclude<RunOutcome['type'], 'completed' | 'broken'>, ExitCode>> = {
  cancelled: exitCode.interrupted,
  limit: exitCode.notGood,
  failed: exitCode.notGood,
  'cannot-fit': exitCode.notGood,
  lost: exitCode.notGood,
};

/** How a program ends whose run ended so. */
export function exitCodeOfOutcome(outcome: RunOutcome): ExitCode {
  if (outcome.type === 'completed') return finishCodes[outcome.finish];
  return outcome.type === 'broken' ? exitCodeOfError(outcome.code) : outcomeCodes[outcome.type];
}
