import { createHash } from 'node:crypto';
import { convertMessages, sessionCodec } from '@throughline/core';
import type { SessionMessage } from '@throughline/core/codec';
import type { RecordedSession } from '@throughline/importers';

type Part = SessionMessage['parts'][number];
type Media = Extract<Part, { type: 'media' }>;

/** A recorded conversation as the lines of an export, and what of it stays behind. */
interface SessionLines {
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

/** Format of the lines, as stores write it. */
const exportFormat = 2;

/**
 * A conversation that another tool has recorded, as the lines of an export: what can be said in our messages, media as
 * bytes beside them. Instructions stay behind, because a session has those of its agent; so do files at addresses, which
 * nobody is to fetch because a file says so.
 */
export function sessionLines(session: RecordedSession, nowMs: number): SessionLines {
  const { codec, messages: recorded, title = null } = session;
  const entries = recorded.map((message, ordinal) => codec.decode(message, ordinal));
  const spoken = entries.filter(({ role }) => role !== 'system');
  const { messages, losses } = convertMessages(spoken, codec, sessionCodec);
  const kept = new Bytes();
  const said = (messages as readonly SessionMessage[])
    .map((message) => ({ ...message, id: '', parts: message.parts.map((part) => storedPart(part, kept)) }))
    .filter(({ parts }) => parts.length > 0);
  const left = entries.length - spoken.length;
  return {
    lines: [
      lineOf({ line: 'session', ...emptySession(title, nowMs) }),
      ...said.map((message) => lineOf({ line: 'message', createdAtMs: nowMs, message })),
      ...kept.lines(),
    ],
    notes: [
      ...(left > 0 ? [`${left} message(s) with instructions were left out: the agent has its own.`] : []),
      ...countedLosses(losses.map(({ reason }) => reason)),
      ...(kept.addresses > 0 ? [`${kept.addresses} file(s) at an address are only named.`] : []),
    ],
  };
}

function emptySession(title: string | null, nowMs: number): object {
  return {
    format: exportFormat,
    // Whoever imports it gives it an id and an owner of his own.
    id: 'recording',
    owner: '',
    title: title === null ? null : title.toWellFormed().slice(0, 500),
    model: null,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
    last_compaction_at_ms: null,
    state: null,
  };
}

function lineOf(fields: object): string {
  return JSON.stringify(fields);
}

function countedLosses(reasons: readonly string[]): readonly string[] {
  return [...new Set(reasons)].map(
    (reason) => `${reasons.filter((one) => one === reason).length} part(s) were left out: ${reason}.`,
  );
}

/** Bytes that stand beside the messages, each once. */
class Bytes {
  addresses = 0;
  readonly #lines = new Map<string, string>();

  keep(base64: string, mediaType: string): string {
    const bytes = Buffer.from(base64, 'base64');
    const hash = createHash('sha256').update(bytes).digest('hex');
    const line = { line: 'blob', hash, mediaType, base64: bytes.toString('base64') };
    this.#lines.set(hash, lineOf(line));
    return `@blob:${hash}`;
  }

  lines(): readonly string[] {
    return [...this.#lines.values()];
  }
}

function storedPart(part: Part, kept: Bytes): Part {
  if (part.type === 'media') return storedMedia(part, kept);
  if (part.type !== 'result') return part;
  return {
    ...part,
    content: part.content.map((one) => (one.type === 'media' ? storedMedia(one, kept) : one)),
  };
}

function storedMedia(media: Media, kept: Bytes): Media | { readonly type: 'text'; readonly text: string } {
  const { source, mediaType } = media;
  if (source.type === 'base64')
    return { ...media, source: { type: 'url', url: kept.keep(source.data, mediaType) } };
  kept.addresses += 1;
  return { type: 'text', text: `[${mediaType} at ${source.url}]` };
}
