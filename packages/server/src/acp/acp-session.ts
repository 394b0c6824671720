import { errorMessage } from '@throughline/core/internal';
import { methods } from '@agentclientprotocol/sdk';
import { answerOf, permissionOf } from './permissions.ts';
import { availableCommands, commandNamed } from './slash-commands.ts';
import { endOf, failed, refused } from './turn-end.ts';
import { noticeUpdates, UpdateMapper } from './session-updates.ts';
import { readPrompt } from './prompt-content.ts';
import { replayHistory } from './replay-history.ts';
import { SessionPump } from './session-pump.ts';
import type {
  AgentContext,
  ContentBlock,
  PromptResponse,
  SessionConfigOption,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import type {
  AgentEvent,
  AgentSession,
  ApprovalAnswer,
  ApprovalRequest,
  RunOutcome,
  UserContent,
} from '@throughline/agent';
import type { AcpNotice } from './notices.ts';
import type { AcpPlace, ClientAbilities } from './acp-places.ts';

interface AcpSessionOptions {
  readonly session: AgentSession;
  readonly place: AcpPlace;
  readonly client: AgentContext;
  readonly abilities: ClientAbilities;
  /** Aborted when the editor is gone. */
  readonly gone: AbortSignal;
}

/** One prompt that is being answered. */
interface Turn {
  readonly cancel: AbortController;
  /** Id of the message that it was stored as. */
  messageId?: string;
}

const modelOption = 'model';

/** One session that an editor has open. */
export class AcpSession {
  readonly id: string;
  readonly folder: string;
  readonly #options: AcpSessionOptions;
  readonly #mapper: UpdateMapper;
  readonly #turns = new Set<Turn>();
  /** Questions that the editor has before it. */
  readonly #asked = new Map<string, AbortController>();
  #pump: SessionPump | undefined;
  #untold: readonly AcpNotice[];

  constructor(options: AcpSessionOptions) {
    const { session, place, abilities } = options;
    this.id = session.id;
    this.folder = place.folder;
    this.#options = options;
    this.#mapper = new UpdateMapper({ folder: place.folder, abilities });
    this.#untold = place.notices.map(({ severity, text }) => ({ severity, title: text }));
  }

  /** Begins to tell what happens; with `replays` all that was before, first. */
  async begin({ replays }: { readonly replays: boolean }): Promise<void> {
    const { session, place, abilities } = this.#options;
    const { store } = place.agent;
    const { folder } = place;
    const mapper = this.#mapper;
    if (replays) {
      const info = await session.info();
      for await (const update of replayHistory({ store, info, folder, abilities, mapper }))
        await this.#send(update);
      const { currentTokens, windowTokens } = await session.context();
      await this.#send({
        sessionUpdate: 'usage_update',
        used: Math.round(currentTokens),
        size: windowTokens,
      });
    }
    const { lastEventSeq: after } = await session.info();
    const send = (update: SessionUpdate): Promise<void> => this.#send(update);
    const onEvent = (event: AgentEvent): void => this.#onEvent(event);
    this.#pump = new SessionPump({ session, store, folder, mapper, after, send, onEvent });
  }

  /** What the editor takes only once it knows the session. */
  async introduce(): Promise<void> {
    await this.#send({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  /** What the editor lets its user choose. */
  configOptions(): SessionConfigOption[] {
    const { session, place } = this.#options;
    const { name } = session.model;
    const names = place.models.names.includes(name) ? place.models.names : [name, ...place.models.names];
    return [
      {
        type: 'select',
        id: modelOption,
        name: 'Model',
        category: 'model',
        currentValue: name,
        options: names.map((value) => ({ value, name: value })),
      },
    ];
  }

  async setOption(id: string, value: string | boolean): Promise<SessionConfigOption[]> {
    if (id !== modelOption || typeof value !== 'string')
      throw refused(`There is no option ${id} with such a value.`);
    const { session, place } = this.#options;
    const outcome = await session.switchModel(await place.models.driverNamed(value));
    if (outcome.type === 'busy') throw failed('busy', 'The session is busy: switch when the turn is over.');
    if (outcome.type === 'cannot-fit') {
      const { requestTokens, usableTokens } = outcome;
      throw failed(
        'cannot-fit',
        `The conversation does not fit ${value}: the smallest request measures ${requestTokens} tokens, ${usableTokens} are usable.`,
      );
    }
    await this.#pump?.drained();
    return this.configOptions();
  }

  /** From a prompt to the end of its turn; all that happened in it was sent before. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const read = readPrompt(blocks);
    if (read.type === 'refused') throw refused(read.reason);
    const turn: Turn = { cancel: new AbortController() };
    const onCancel = (): void => void this.cancel();
    signal.addEventListener('abort', onCancel, { once: true });
    this.#turns.add(turn);
    try {
      await this.#tellNotices();
      // A slash and a word that is no command of ours is a message like any other.
      const command = read.type === 'command' ? commandNamed(read.name) : undefined;
      if (command && read.type === 'command') {
        const said = await command.run({
          session: this.#options.session,
          argument: read.argument,
          signal: turn.cancel.signal,
        });
        await this.#pump?.drained();
        if (said !== undefined) await this.#say(said);
        return { stopReason: turn.cancel.signal.aborted ? 'cancelled' : 'end_turn' };
      }
      const content = read.type === 'content' ? read.content : `/${read.name} ${read.argument}`.trim();
      return await this.#converse(content, turn);
    } finally {
      this.#turns.delete(turn);
      signal.removeEventListener('abort', onCancel);
    }
  }

  /** Ends the turn; what waits for its turn is not sent any more. Never rejects. */
  async cancel(): Promise<void> {
    const { session } = this.#options;
    const turns = [...this.#turns];
    for (const { cancel } of turns) cancel.abort();
    const ids = turns.flatMap(({ messageId }) => (messageId === undefined ? [] : [messageId]));
    await Promise.all(ids.map((id) => session.queue.remove(id).catch(() => false)));
    await session.cancel().catch(() => undefined);
  }

  /** Ends what is busy and gives everything back. */
  async close(): Promise<void> {
    for (const { cancel } of this.#turns) cancel.abort();
    await this.#options.session[Symbol.asyncDispose]();
    if (!this.#options.gone.aborted) await this.#pump?.drained();
    for (const question of this.#asked.values()) question.abort();
    await this.#pump?.stop();
    await this.#options.place[Symbol.asyncDispose]();
  }

  async #converse(content: UserContent, turn: Turn): Promise<PromptResponse> {
    const { session } = this.#options;
    const isCancelled = (): boolean => turn.cancel.signal.aborted;
    if (isCancelled()) return { stopReason: 'cancelled' };
    const { isQueued, id } = await session.send(content);
    turn.messageId = id;
    if (isQueued && !session.isRunning) {
      await session.queue.remove(id);
      throw failed(
        'busy',
        'Another process works on this session: nothing was sent. Try again when it is done.',
      );
    }
    if (isCancelled()) await this.cancel();
    for (const request of await session.approvals.pending()) void this.#ask(request);
    const outcome = await session.settled();
    await this.#pump?.drained();
    if (isCancelled()) return { stopReason: 'cancelled' };
    if (!outcome) throw failed('fault', 'The turn could not begin.');
    return await this.#end(outcome);
  }

  async #end(outcome: RunOutcome): Promise<PromptResponse> {
    const end = endOf(outcome);
    if (end.type === 'failed') throw failed(end.code, end.message);
    if (end.notice) await this.#notify(end.notice);
    return { stopReason: end.stopReason };
  }

  #onEvent(event: AgentEvent): void {
    if (event.type === 'approval:requested') void this.#ask(event.data.request);
    if (event.type === 'approval:resolved') this.#asked.get(event.data.request.id)?.abort();
    if (event.type === 'llm:switched') {
      void this.#send({ sessionUpdate: 'config_option_update', configOptions: this.configOptions() }).catch(
        () => undefined,
      );
    }
  }

  /** Asks the editor, once; an answer that comes from elsewhere takes the question back. Never rejects. */
  async #ask(request: ApprovalRequest): Promise<void> {
    if (this.#asked.has(request.id)) return;
    const question = new AbortController();
    this.#asked.set(request.id, question);
    try {
      const answer = await this.#answerTo(request, question.signal);
      if (answer) await this.#options.session.approvals.answer(request.id, answer);
    } catch {
      // The store is gone: the run has ended with it.
    } finally {
      this.#asked.delete(request.id);
    }
  }

  /** `undefined`: nobody has answered, and the question stays what it is. */
  async #answerTo(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
    const { client, gone } = this.#options;
    const { id: sessionId, folder } = this;
    const shown = { sessionId, folder, toolCallId: this.#mapper.idOf(request.callId) };
    try {
      const { outcome } = await client.request(
        methods.client.session.requestPermission,
        permissionOf(request, shown),
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      return answerOf(outcome);
    } catch (error) {
      if (signal.aborted || gone.aborted) return undefined;
      const reason = errorMessage(error);
      return { type: 'deny', reason: `the editor could not ask: ${reason}` };
    }
  }

  async #tellNotices(): Promise<void> {
    const untold = this.#untold;
    this.#untold = [];
    for (const notice of untold) await this.#notify(notice);
  }

  async #notify(notice: AcpNotice): Promise<void> {
    const messageId = `notice_${crypto.randomUUID()}`;
    for (const update of noticeUpdates(notice, messageId, this.#options.abilities)) await this.#send(update);
  }

  async #say(text: string): Promise<void> {
    const messageId = `command_${crypto.randomUUID()}`;
    await this.#send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, messageId });
  }

  #send(update: SessionUpdate): Promise<void> {
    return this.#options.client.notify(methods.client.session.update, { sessionId: this.id, update });
  }
}
