import type { Conversation, Pass } from '../identity/conversation-index.ts';
import type { Managed } from './managed.ts';
import type { StoredHistories } from '../state/stored-histories.ts';

/** Where a conversation stands before anything is made smaller for a request. */
type Standing = Pick<Conversation, 'snapshot' | 'passes' | 'news'>;

/** A pass that may be for nothing. */
interface Doubt extends Standing {
  readonly pass: Pass;
  /** The request that went out before it. */
  readonly refused: Managed;
}

/** Whether an error says of the request that it is a bad one, or nothing of it: too many were sent, a server is down. */
export type Failure = 'bad-request' | 'other';

/** Where what stands instead is kept. */
interface Keeping {
  readonly stored: StoredHistories | undefined;
  readonly nowMs: number;
}

/**
 * A refusal that says nothing can be for anything. What is made smaller for one is in doubt until something else is heard
 * in its conversation. Where the smaller request fails as well the pass is taken back. Where it was looked at,
 * and called a bad one, its size was not what was refused: the next silence is not answered with another.
 */
export class SilentRefusals {
  readonly #doubts = new WeakMap<Conversation, Doubt>();

  /** Whether what was made smaller for the last one was for nothing. */
  wereInVain(conversation: Conversation): boolean {
    return conversation.isSizeRefuted === true;
  }

  /** Something was made smaller for one. */
  answered(conversation: Conversation, refused: Managed, { snapshot, passes, news }: Standing): void {
    const pass = conversation.passes.at(-1);
    if (pass) this.#doubts.set(conversation, { snapshot, passes, news, pass, refused });
  }

  /** The upstream has answered, or has said that a request is too large: what was made smaller stays. */
  heard(conversation: Conversation): void {
    this.#doubts.delete(conversation);
    conversation.isSizeRefuted = false;
  }

  /**
   * Takes back what was made smaller. Nothing, where more was made of the conversation since. A turn of the conversation,
   * as those that make it.
   */
  async takeBack(conversation: Conversation, failure: Failure, { stored, nowMs }: Keeping): Promise<void> {
    const doubt = this.#doubts.get(conversation);
    if (!doubt || conversation.passes.at(-1) !== doubt.pass) return;
    this.#doubts.delete(conversation);
    if (failure === 'bad-request') conversation.isSizeRefuted = true;
    const { snapshot, passes, pass: made, refused } = doubt;
    const { compactions } = doubt.news;
    conversation.snapshot = snapshot;
    conversation.passes = passes;
    conversation.news = {
      ...conversation.news,
      compactions: Math.min(compactions, conversation.news.compactions),
    };
    if (!stored || !refused.history || made.version === 0) return;
    const { tokens, windowTokens } = refused.step.report;
    const report = {
      action: refused.action,
      tokensBefore: tokens.before,
      tokensAfter: tokens.final,
      windowTokens,
      checkpointId: null,
      atMs: nowMs,
    };
    const pass = { conversationId: conversation.id, state: snapshot.state, report };
    const place = { length: made.messages, replaced: made.version };
    const kept = await stored.keepPass(refused.history, pass, place);
    if (!kept?.isOwn) return;
    const { length: messages, version, isLate } = kept.pass;
    const others = passes.filter((one) => one.messages < messages);
    conversation.passes = [...others, { messages, state: snapshot.state, version, isLate }];
  }
}
