import type { SessionStore } from '@throughline/ports';
import type { McpServerConfig } from '@throughline/agent';
import type { Services } from '../services.ts';

/** What one should know before the first message. */
export interface PlaceNotice {
  readonly severity: 'info' | 'warning';
  readonly text: string;
}

/** An agent that works in one folder. */
export interface AcpPlace extends Omit<Services, 'clock'>, AsyncDisposable {
  /** Absolute, links resolved. */
  readonly folder: string;
  readonly notices: readonly PlaceNotice[];
}

/** Makes the agents that an editor asks for. The composition root has it: here nothing is known of configurations. */
export interface AcpPlaces {
  /**
   * The agent of a folder, with MCP servers of the editor beside those of its configuration. Whoever asks twice for the
   * same gets the same, and gives it back by disposing of it.
   *
   * @throws with a sentence for people where the folder cannot be worked in: its configuration is wrong or not trusted.
   */
  readonly open: (folder: string, mcpServers: Readonly<Record<string, McpServerConfig>>) => Promise<AcpPlace>;
  /** Where the sessions of this folder, or of the folder the program was started in, are kept. */
  readonly storeOf: (folder?: string) => Promise<SessionStore>;
}

/** What the editor can show beyond what every editor can. */
export interface ClientAbilities {
  readonly showsCompactions: boolean;
  readonly showsNotices: boolean;
}
