import type { AgentSession } from '@throughline/agent';

const longestTitle = 60;

/** A session without a title is called by what was said first. */
export async function giveTitle(session: AgentSession, text: string): Promise<void> {
  const { title } = await session.info();
  if (title !== null) return;
  const line = text.trim().split(/\r|\n/, 1)[0] ?? '';
  const cut = line.length <= longestTitle ? line : `${line.slice(0, longestTitle - 1)}…`;
  if (cut !== '') await session.rename(cut.toWellFormed());
}
