import { extended, isInstructions, nameOfInstructions, noTurns, storedText } from './conversation-turns.ts';
import type { AgentSession } from '@throughline/agent';
import type { SessionStore, StoredMessage } from '@throughline/ports';
import type { TurnText } from './conversation-turns.ts';

/** What a request has to be compared with, of the history of a session. */
export interface KnownHistory {
  /** Fingerprint of all that was said. */
  readonly fingerprint: string;
  /** Names the instructions that hold: those that came last. */
  readonly instructions: string;
  /** The newest message of the user. */
  readonly lastUserId: string | undefined;
  readonly messageCount: number;
  readonly lastTurn: LastTurn | undefined;
}

/** The newest turn of the user. */
interface LastTurn {
  /** Fingerprint of what was said before it. */
  readonly before: string;
  readonly ordinal: number;
}

/** What was read of a history: turns that are over, and the one that may go on. */
interface Reading {
  /** Fingerprint of the turns that are over. */
  readonly fingerprint: string;
  readonly open: (TurnText & { readonly ordinal: number }) | undefined;
  readonly instructions: string;
  readonly lastUserId: string | undefined;
  readonly lastTurn: LastTurn | undefined;
}

interface Entry extends Omit<Reading, 'open'> {
  /** A session that was deleted and made anew is another one. */
  readonly createdAtMs: number;
  /** Where the turn begins that may go on: everything before it is in the fingerprint. */
  readonly end: number;
}

const mostSessions = 1_000;

/** What is known of the sessions that were asked for last. */
class NewestSessions<Known> {
  readonly #known = new Map<string, Known>();

  get(sessionId: string): Known | undefined {
    return this.#known.get(sessionId);
  }

  /** The one that was asked for last stands last. */
  keep(sessionId: string, known: Known): void {
    this.#known.delete(sessionId);
    this.#known.set(sessionId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostSessions && oldest !== undefined) this.#known.delete(oldest);
  }
}

const pageSize = 200;
const unread: Reading = {
  fingerprint: noTurns,
  open: undefined,
  instructions: '',
  lastUserId: undefined,
  lastTurn: undefined,
};

/**
 * Histories of sessions, read once: after that only what is new is read. Nothing but names of what was read is kept, of
 * the sessions that were asked for last; any of it can be forgotten and is read again then.
 */
export class KnownHistories {
  readonly #entries = new NewestSessions<Entry>();

  async of({ history }: Pick<SessionStore, 'history'>, session: AgentSession): Promise<KnownHistory> {
    const { createdAtMs, messageCount } = await session.info();
    const entry = this.#entryOf(session.id, createdAtMs, messageCount);
    let reading: Reading = entry ? { ...entry, open: undefined } : unread;
    for (let first = entry?.end ?? 0; first < messageCount; first += pageSize) {
      const page = await history.messages(session.id, first, Math.min(first + pageSize, messageCount));
      reading = page.reduce(read, reading);
    }
    const { open, ...over } = reading;
    this.#entries.keep(session.id, { ...over, createdAtMs, end: open?.ordinal ?? messageCount });
    return { ...over, fingerprint: open ? extended(over.fingerprint, open) : over.fingerprint, messageCount };
  }

  #entryOf(sessionId: string, createdAtMs: number, messageCount: number): Entry | undefined {
    const entry = this.#entries.get(sessionId);
    return entry?.createdAtMs === createdAtMs && entry.end <= messageCount ? entry : undefined;
  }
}

/** A client knows neither reasoning nor calls and results; turns of the same role that follow each other are one. */
function read(reading: Reading, { ordinal, message: { id, role, parts } }: StoredMessage): Reading {
  if (role !== 'user' && role !== 'assistant') return reading;
  const text = parts.map((part) => storedText(part, role)).join('');
  const told = { ...reading, ...(role === 'user' ? { lastUserId: id, ...instructionsIn(parts) } : {}) };
  const { open } = told;
  if (text === '') return told;
  if (open?.role === role) return { ...told, open: { ...open, text: open.text + text } };
  const fingerprint = open ? extended(told.fingerprint, open) : told.fingerprint;
  const lastTurn = role === 'user' ? { before: fingerprint, ordinal } : told.lastTurn;
  return { ...told, fingerprint, lastTurn, open: { role, text, ordinal } };
}

function instructionsIn(parts: StoredMessage['message']['parts']): Partial<Pick<Reading, 'instructions'>> {
  const texts = parts.flatMap((part) =>
    part.type === 'text' && isInstructions(part.text, 'user') ? [part.text] : [],
  );
  const last = texts.at(-1);
  return last === undefined ? {} : { instructions: nameOfInstructions(last) };
}

/** In which manner the newest sessions were asked. It can be forgotten: the next request is then taken for a turn. */
export class KnownManners {
  readonly #manners = new NewestSessions<string>();

  isOther(sessionId: string, manner: string): boolean {
    const known = this.#manners.get(sessionId);
    return known !== undefined && known !== manner;
  }

  keep(sessionId: string, manner: string): void {
    this.#manners.keep(sessionId, manner);
  }
}
