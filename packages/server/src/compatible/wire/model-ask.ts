import type { UserPart } from '@throughline/agent';

/** A turn of the conversation as a client sends it: everything is sent anew with every request. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  /** Calls and results of a former agent are texts. */
  readonly parts: readonly UserPart[];
}

/** What a request of any of the three APIs asks for. */
export interface ModelAsk {
  readonly model: string;
  /** All system text of the request, in its order; may be empty. */
  readonly instructions: string;
  readonly earlier: readonly Turn[];
  /** What is said now: everything of the user behind the last answer. */
  readonly content: readonly UserPart[];
  readonly isStreamed: boolean;
  /** Reasoning, and what the agent does with its tools, is wanted beside the answer. */
  readonly wantsReasoning: boolean;
  /** A stream ends with its usage. */
  readonly wantsUsage: boolean;
  /** Of the answer that this one follows, where the client names it instead of sending it. */
  readonly previousResponseId?: string;
  /** How it is asked, beside what is said: turns of one conversation have the same. */
  readonly manner: string;
  /** Fields that the agent does not obey. */
  readonly ignored: readonly string[];
}

/** The turns of a request in order; those of the same role that follow each other are one. */
export function joinTurns(turns: readonly Turn[]): readonly Turn[] {
  const joined: { readonly role: Turn['role']; readonly parts: UserPart[] }[] = [];
  for (const { role, parts } of turns) {
    const last = joined.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) for (const part of parts) last.parts.push(part);
    else joined.push({ role, parts: [...parts] });
  }
  return joined;
}
