import { chatReducer } from '../state/chat-reducer.ts';
import { userBlock } from '../state/block.ts';
import { failureOf } from '../../outcome/failure.ts';
import { openingBlocks, saidElsewhere, textOfContent } from '../state/message-blocks.ts';
import { giveTitle } from '../state/chat-services.ts';
import { isSlashCommand, runSlashCommand } from '../slash/slash-commands.ts';
import { startState } from '../state/chat-state.ts';
import { takenElsewhere } from '../state/notices.ts';
import type { AgentEvents, AgentSession, ApprovalAnswer } from '@throughline/agent';
import type { Block, Tone } from '../state/block.ts';
import type { ChatEvent, ChatState } from '../state/chat-state.ts';
import type { ChatServices } from '../state/chat-services.ts';
import type { Clock, IdSource } from '@throughline/ports';

export interface LiveChatOptions {
  readonly services: ChatServices;
  readonly session: AgentSession;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly columns: number;
  /** Told the state after each event, and what is to be printed. */
  readonly tell: (state: ChatState, blocks: readonly Block[]) => void;
}

/** Messages among which one that was taken just now is looked for. */
const lookedThrough = 8;

const queueEvents: ReadonlySet<string> = new Set([
  'message:queued',
  'message:updated',
  'message:removed',
  'message:moved',
  'message:dequeued',
]);

/** One chat, whatever it is shown on: takes what the user does, tells what is to be seen. */
export class LiveChat {
  state: ChatState;
  session: AgentSession;
  /** Resolves when the user wants to leave. */
  readonly left: Promise<void>;
  readonly #options: LiveChatOptions;
  readonly #leave: () => void;
  readonly #works = new Set<Promise<void>>();
  #subscription: Disposable | undefined;
  #command: AbortController | undefined;
  #queueTurn = 0;

  constructor(options: LiveChatOptions) {
    this.#options = options;
    this.session = options.session;
    this.state = startState(options.session.model.name, options.columns);
    const leaving = Promise.withResolvers<void>();
    this.left = leaving.promise;
    this.#leave = leaving.resolve;
  }

  /** A message, or a command that begins with a slash. */
  submit(text: string): void {
    const trimmed = text.trim();
    if (trimmed === '') return;
    if (isSlashCommand(trimmed)) this.#work(() => this.#runCommand(trimmed));
    else this.#work(() => this.#send(text.trimEnd()));
  }

  answer(answer: ApprovalAnswer): void {
    const [request] = this.state.approvals;
    if (!request) return;
    this.#work(async () => {
      const isTaken = await this.session.approvals.answer(request.id, answer);
      // Somebody else has answered it, or its run is over.
      if (!isTaken) this.#tell({ type: 'chat:approvals', requests: await this.session.approvals.pending() });
    });
  }

  /** Ends the run or the command. `false` where nothing was busy. */
  cancel(): boolean {
    const isBusy = this.session.isRunning || this.#command !== undefined;
    if (!isBusy) return false;
    this.#tell({ type: 'chat:cancelling' });
    this.#command?.abort();
    if (this.session.isRunning) this.#work(() => this.#stop());
    return true;
  }

  resize(columns: number): void {
    this.#tell({ type: 'chat:resized', columns });
  }

  notice(text: string, tone: Tone = 'plain'): void {
    this.#tell({ type: 'chat:notice', tone, text });
  }

  /** Shows the session of the start. */
  async begin(): Promise<void> {
    for (const { tone, text } of this.#options.services.notices) this.notice(text, tone);
    await this.#open(this.session);
  }

  /** Cancels what is busy and lets go of the session. */
  async end(): Promise<void> {
    this.#command?.abort();
    await this.session.cancel();
    await this.settled();
    this.#subscription?.[Symbol.dispose]();
  }

  /** Resolves when no command is at work. */
  async settled(): Promise<void> {
    while (this.#works.size > 0) await Promise.all(this.#works);
  }

  #tell(event: ChatEvent): void {
    const { state, blocks } = chatReducer(this.state, event);
    this.state = state;
    this.#options.tell(state, blocks);
  }

  /** Failures of what the user asked for are told, never thrown. */
  #work(work: () => Promise<void>): void {
    const working = work()
      .catch((error: unknown) => this.notice(failureOf(error).message, 'bad'))
      .finally(() => this.#works.delete(working));
    this.#works.add(working);
  }

  async #send(text: string): Promise<void> {
    const id = this.#options.ids.nextId('inbox');
    this.#tell({ type: 'chat:submitted', id, text });
    const sent = await this.session.send(text, { id });
    await giveTitle(this.session, text);
    if (!sent.isQueued) return;
    if (!this.session.isRunning) {
      this.#tell({ type: 'chat:left' });
      this.notice(takenElsewhere, 'warning');
    }
    await this.#refreshQueue();
  }

  async #runCommand(line: string): Promise<void> {
    const { services, clock } = this.#options;
    const command = new AbortController();
    const isFirst = this.#command === undefined;
    if (isFirst) this.#command = command;
    const name = line.split(/\s/, 1)[0] ?? '';
    if (isFirst) this.#tell({ type: 'chat:command', name, atMs: clock.nowMs() });
    this.#tell({ type: 'chat:printed', blocks: [userBlock(line)] });
    try {
      await runSlashCommand(line, {
        services,
        session: this.session,
        columns: this.state.columns,
        signal: command.signal,
        say: (text, tone) => this.notice(text, tone),
        print: (blocks) => this.#tell({ type: 'chat:printed', blocks }),
        open: (session) => this.#open(session),
        leave: this.#leave,
      });
    } finally {
      if (isFirst) this.#command = undefined;
      if (isFirst) this.#tell({ type: 'chat:command-done' });
    }
    await this.#refreshQueue();
    await this.#refreshUsage();
  }

  async #open(session: AgentSession): Promise<void> {
    this.#subscription?.[Symbol.dispose]();
    this.session = session;
    this.#tell({ type: 'chat:opened', model: session.model.name });
    this.#subscription = session.subscribe((event) => {
      if (event.type === 'message:dequeued') this.#showForeign(event.data);
      this.#tell(event);
      if (event.type === 'run:start') void this.#watchEnd(session);
      if (queueEvents.has(event.type)) this.#work(() => this.#refreshQueue());
    });
    this.#tell({ type: 'chat:printed', blocks: await openingBlocks(session, this.#options.services) });
    await this.#refreshQueue();
    await this.#refreshUsage();
    this.#tell({ type: 'chat:approvals', requests: await session.approvals.pending() });
  }

  /** What was said in another terminal and is taken here: what answers it would have no cause in this one. */
  #showForeign({ ids, messageId }: AgentEvents['message:dequeued']): void {
    const { session } = this;
    const { waiting, unsaid } = this.state;
    const foreign = ids.filter((id) => !Object.hasOwn(unsaid, id) && !waiting.some((one) => one.id === id));
    if (foreign.length === 0) return;
    this.#work(async () => {
      const { items } = await session.history({ limit: lookedThrough });
      const stored = items.find(({ message }) => message.id === messageId);
      const texts = stored ? saidElsewhere(stored.message, foreign) : [];
      if (session === this.session)
        this.#tell({ type: 'chat:printed', blocks: texts.map((text) => userBlock(text)) });
    });
  }

  async #stop(): Promise<void> {
    await this.session.cancel();
    this.#tell({ type: 'chat:stopped' });
  }

  /** A run whose end could not be stored is told of by nobody. */
  async #watchEnd(session: AgentSession): Promise<void> {
    const outcome = await session.settled();
    if (session !== this.session || session.isRunning || this.state.run === null || !outcome) return;
    this.#tell({ type: 'chat:ended', outcome });
  }

  async #refreshQueue(): Promise<void> {
    const { session } = this;
    this.#queueTurn += 1;
    const turn = this.#queueTurn;
    const waiting = (await session.queue.list()).map(({ id, content }) => ({
      id,
      text: textOfContent(content),
    }));
    // A later look has seen more.
    if (session === this.session && turn === this.#queueTurn) this.#tell({ type: 'chat:queue', waiting });
  }

  async #refreshUsage(): Promise<void> {
    const { session } = this;
    const usage = await session.context();
    if (session === this.session) this.#tell({ type: 'chat:usage', usage });
  }
}
