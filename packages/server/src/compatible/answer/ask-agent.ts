import { randomUUID } from 'node:crypto';
import { followAnswer, followMessage } from '../../follow/follow-answer.ts';
import { instructionsPart } from '../conversation/conversation-turns.ts';
import type { Agent, AgentSession } from '@throughline/agent';
import type { AnswerStep } from '../../follow/follow-answer.ts';
import type { FoundConversation } from '../conversation/find-conversation.ts';
import type { ModelAsk } from '../wire/dialect.ts';

/** A request that an agent works on. */
export interface AskedAgent {
  readonly session: AgentSession;
  /** The message of the history that is answered. */
  readonly messageId: string;
  readonly steps: (signal: AbortSignal) => AsyncIterable<AnswerStep>;
  /** Ends it: nobody waits for the answer any more. */
  readonly cancel: () => Promise<void>;
}

/** Sends what is asked, or goes on with what was asked before and not answered. */
export async function askAgent(
  { store }: Agent,
  found: FoundConversation,
  ask: ModelAsk,
): Promise<AskedAgent> {
  const { session, newInstructions, unansweredId } = found;
  const { lastEventSeq: after } = await session.info();
  if (unansweredId !== undefined && (await session.resume())) {
    const cancel = (): Promise<void> => session.cancel();
    return {
      session,
      messageId: unansweredId,
      steps: (signal) => followAnswer({ session, signal }, after),
      cancel,
    };
  }
  const id = randomUUID();
  const instructions = newInstructions === '' ? [] : [instructionsPart(newInstructions)];
  const { isQueued } = await session.send([...instructions, ...ask.content], { id });
  return {
    session,
    messageId: id,
    steps: (signal) => followMessage({ session, store, signal }, { id, after, isQueued }),
    cancel: async () => {
      // What still waits is nobody's run yet: the one that is busy is another's.
      if (!(await session.queue.remove(id))) await session.cancel();
    },
  };
}
