import type { AgentSession } from '@throughline/agent';
import type { Block, Tone } from '../state/block.ts';
import type { ChatServices } from '../state/chat-services.ts';
import type { Notice } from '../state/notices.ts';

/** Said where only one of them can be at work. */
export const busy: Notice = {
  tone: 'warning',
  text: 'A run is busy: wait for its end, or stop it with Esc.',
};

/** What a command of the chat may use. */
export interface SlashContext {
  readonly services: ChatServices;
  readonly session: AgentSession;
  readonly columns: number;
  /** Aborted when the user stops the command. */
  readonly signal: AbortSignal;
  readonly say: (text: string, tone?: Tone) => void;
  readonly print: (blocks: readonly Block[]) => void;
  /** Shows another session from now on. */
  readonly open: (session: AgentSession) => Promise<void>;
  readonly leave: () => void;
}

export interface SlashCommand {
  /** What may stand behind the name. */
  readonly takes: string;
  readonly does: string;
  readonly run: (context: SlashContext, argument: string) => Promise<void> | void;
}
