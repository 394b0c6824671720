import type { Agent, AgentSession } from '@throughline/agent';
import type { ModelDriver, SessionInfo, SessionStore } from '@throughline/ports';
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

interface Asked {
  readonly limit: number;
  /** Only those of this folder. @default of all */
  readonly folder?: string;
}

/** More than are asked for are looked at: some may be empty. */
const spare = 50;

/** The sessions that were used last, newest first; not those that were opened and left without a word. */
export async function usedSessions(
  store: SessionStore,
  { limit, folder }: Asked,
): Promise<readonly SessionInfo[]> {
  const { items } = await store.sessions.list({
    limit: limit + spare,
    ...(folder !== undefined && { folder }),
  });
  return items.filter(isUsed).slice(0, limit);
}

/** The title comes with the first message, which may still wait. */
function isUsed({ messageCount, title }: SessionInfo): boolean {
  return messageCount > 0 || title !== null;
}

const longestTitle = 60;

/** A session without a title is called by what was said first. */
export async function giveTitle(session: AgentSession, text: string): Promise<void> {
  const { title } = await session.info();
  if (title !== null) return;
  const line = text.trim().split(/\r|\n/, 1)[0] ?? '';
  const cut = line.length <= longestTitle ? line : `${line.slice(0, longestTitle - 1)}…`;
  if (cut !== '') await session.rename(cut.toWellFormed());
}
