import type { Conversation } from '../identity/conversation-index.ts';
import type { ContextAction } from './decisions.ts';
import type { FittedStep } from '@throughline/adapters/following';
import type { History, StoredHistories } from '../state/stored-histories.ts';

/** What of a managed request has to do with its conversation. */
interface Made extends Pick<Conversation, 'snapshot'>, Pick<FittedStep, 'step'> {
  readonly conversation: Conversation;
  readonly action: ContextAction;
  readonly history?: History;
  /** Where something was made smaller because the request was refused. */
  readonly standing?: Standing;
}

/** Where a conversation stands before anything is made smaller for a request. */
export interface Standing extends Pick<Conversation, 'snapshot' | 'passes'> {
  readonly compactions: number;
}

export function standingOf({ snapshot, passes, news }: Conversation): Standing {
  return { snapshot, passes, compactions: news.compactions };
}

/**
 * Takes back what was made of a history for a smaller request that has failed as well: its size was not what was
 * refused. Nothing, where the conversation has gone on meanwhile. A turn of the conversation, as those that make it.
 *
 * @param managed the request before that
 */
export async function takeBack(
  managed: Made,
  { conversation, snapshot: made, standing }: Made,
  stored: StoredHistories | undefined,
  nowMs: number,
): Promise<void> {
  if (!standing || conversation !== managed.conversation || conversation.snapshot !== made) return;
  const { snapshot, passes, compactions } = standing;
  const last = conversation.passes.findLast((pass) => !passes.includes(pass));
  conversation.snapshot = snapshot;
  conversation.passes = passes;
  conversation.news = { ...conversation.news, compactions };
  if (!stored || !managed.history || !last || last.version === 0) return;
  const { tokens, windowTokens } = managed.step.report;
  const { id: conversationId } = conversation;
  const report = {
    action: managed.action,
    tokensBefore: tokens.before,
    tokensAfter: tokens.final,
    windowTokens,
    checkpointId: null,
    atMs: nowMs,
  };
  const pass = { conversationId, state: snapshot.state, report };
  const { messages, version: replaced } = last;
  const kept = await stored.keepPass(managed.history, pass, { length: messages, replaced });
  if (!kept?.isOwn) return;
  const { length, version, isLate } = kept.pass;
  const others = passes.filter((one) => one.messages < length);
  conversation.passes = [...others, { messages: length, state: snapshot.state, version, isLate }];
}
