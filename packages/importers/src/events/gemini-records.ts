import { unknownLinesNote } from '../source/unknown-lines-note.ts';
import { arrayOf, isObject, textOf } from '../json-value.ts';
import type { JsonObject } from '../json-value.ts';
import type { RecordingNote } from '../recording.ts';
import type { LinesDocument } from '../source/document.ts';

/** What the records of a session file add up to: the session as it would be one JSON value. */
interface GeminiSession {
  readonly root: JsonObject;
  readonly notes: readonly RecordingNote[];
}

/** Whether a line can only come from a session file of Gemini CLI. */
export function ownsGeminiLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (isObject(value['$set']) || typeof value['$rewindTo'] === 'string') return true;
  return isHead(value) || (value['type'] === 'gemini' && typeof value['id'] === 'string');
}

function isHead({ sessionId, projectHash, type }: JsonObject): boolean {
  return typeof sessionId === 'string' && typeof projectHash === 'string' && type === undefined;
}

/**
 * Replays the records in file order: a message takes the place of an earlier one with its id, a rewind takes the
 * messages from one on away (all where it is not known), and a `$set` with messages replaces them all.
 */
export function replayGeminiRecords(document: LinesDocument): GeminiSession {
  const messages = new Map<string, unknown>();
  let head: JsonObject = {};
  const strange: number[] = [];
  const add = (message: unknown): boolean => {
    const id = isObject(message) ? textOf(message['id']) : undefined;
    if (id !== undefined) messages.set(id, message);
    return id !== undefined;
  };
  const update = (members: JsonObject): void => {
    if (Array.isArray(members['messages'])) messages.clear();
    for (const message of arrayOf(members['messages'])) add(message);
    head = { ...head, ...members };
  };
  for (const { value, number } of document.lines) {
    if (!isObject(value)) strange.push(number);
    else if (typeof value['$rewindTo'] === 'string') rewind(messages, value['$rewindTo']);
    else if (isObject(value['$set'])) update(value['$set']);
    else if (isHead(value)) update(value);
    else if (!add(value)) strange.push(number);
  }
  const [line] = strange;
  const notes = line === undefined ? [] : [{ line, note: unknownLinesNote(strange.length) }];
  return { root: { ...head, messages: [...messages.values()] }, notes };
}

function rewind(messages: Map<string, unknown>, id: string): void {
  const ids = [...messages.keys()];
  for (const one of ids.slice(Math.max(0, ids.indexOf(id)))) messages.delete(one);
}
