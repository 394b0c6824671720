import type { AgentSession } from '@throughline/agent';
import type { Block, Tone } from '../block.ts';
import type { ChatServices } from '../chat-services.ts';

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
