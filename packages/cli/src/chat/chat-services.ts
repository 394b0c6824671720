import type { Agent } from '@throughline/agent';
import type { ModelDriver } from '@throughline/ports';
import type { Notice } from './notices.ts';

/** What a chat works with. */
export interface ChatServices extends AsyncDisposable {
  readonly agent: Agent;
  /** Sessions outlive the program. */
  readonly keepsSessions: boolean;
  /** The folder that tools work in: sessions of others are listed when they are asked for. */
  readonly folder: string;
  /** Where the configured model is; none for the demo. */
  readonly baseUrl?: string;
  /** What one should know before the first message. */
  readonly notices: readonly Notice[];
  /**
   * The model that a name such as `openai:gpt-5` stands for.
   *
   * @throws {CommandFailure} with a sentence that says what is wrong with the name.
   */
  readonly driverNamed: (name: string) => Promise<ModelDriver>;
}
