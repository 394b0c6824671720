import { countOf, isObject, listOf, objectOf, textOf } from '../../recording/json-value.ts';
import { isMostly } from '../../wire/message-shapes.ts';
import { opencodeCodec } from './opencode-codec.ts';
import type { FormatReading, ReadOptions } from '../../recording/format.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type { JsonDocument, RecordedSession, RecordedUsage } from '../../recording/recording.ts';

export function opencodeEvidence(root: unknown): number {
  if (!isObject(root)) return 0;
  const messages = listOf(root['messages']);
  return isMostly(messages, isOwn) ? messages.length + 2 : 0;
}

function isOwn(message: unknown): boolean {
  const { info, parts } = objectOf(message);
  return isObject(info) && Array.isArray(parts);
}

/** A message and its position in the export. */
interface Placed {
  readonly message: WireObject;
  readonly index: number;
  /** Kept by a compaction that follows it: what was measured for it had a longer prompt. */
  readonly isKept: boolean;
}

/**
 * Reads an OpenCode export. Active is what OpenCode would send next: from the last finished compaction its marker,
 * its summary, the tail it kept and what follows; failed answers and reverted messages are left out. The views
 * that compactions replaced are archived, reverted messages are a branch.
 */
export function readOpencode({ value }: JsonDocument, options: ReadOptions): FormatReading {
  const root = objectOf(value);
  const info = objectOf(root['info']);
  const all = listOf(root['messages']).map((message, index): Placed => {
    return { message: objectOf(message), index, isKept: false };
  });
  const id = textOf(info['id']) ?? 'session';
  const title = textOf(info['title']);
  if (all.length === 0) return { sessions: [], notes: [] };
  if (options.isWhole) return { sessions: [sessionOf(all.filter(isSent), 'active', id, title)], notes: [] };
  const revertAt = all.findIndex(
    ({ message }) => idOf(message) !== undefined && idOf(message) === revertedId(info),
  );
  const current = revertAt < 0 ? all : all.slice(0, revertAt);
  const sessions = viewsOf(current).map((view, index) => {
    const isActive = index === 0;
    const sessionId = isActive ? id : `${id}#archived-${index}`;
    return sessionOf(
      view.filter(isSent),
      isActive ? 'active' : 'archived',
      sessionId,
      isActive ? title : undefined,
    );
  });
  if (revertAt >= 0) sessions.push(sessionOf(all.filter(isSent), 'branch', `${id}#reverted`));
  return { sessions, notes: [] };
}

function infoOf(message: WireObject): WireObject {
  return objectOf(message['info']);
}

function idOf(message: WireObject): string | undefined {
  return textOf(infoOf(message)['id']);
}

function revertedId(info: WireObject): unknown {
  return objectOf(info['revert'])['messageID'];
}

const maxViews = 50;

/** What is sent now, and before it the views that compactions replaced, newest first. */
function viewsOf(all: readonly Placed[]): (readonly Placed[])[] {
  const finished = new Set<unknown>();
  for (const { message } of all) {
    const info = infoOf(message);
    if (info['summary'] === true && info['finish'] && !info['error']) finished.add(info['parentID']);
  }
  const views: (readonly Placed[])[] = [];
  let current = all;
  while (views.length < maxViews) {
    const at = current.findLastIndex(
      ({ message }) => finished.has(idOf(message)) && compactionPart(message) !== undefined,
    );
    views.push(at < 0 ? current : viewAfter(current, at));
    if (at <= 0) break;
    current = current.slice(0, at);
  }
  return views;
}

/** The marker of a compaction, its summary, the tail it kept, and what follows. */
function viewAfter(all: readonly Placed[], at: number): readonly Placed[] {
  const marker = all[at];
  const markerId = marker && idOf(marker.message);
  const tailId = marker && compactionPart(marker.message)?.['tail_start_id'];
  const tailAt = tailId === undefined ? -1 : all.findIndex(({ message }) => idOf(message) === tailId);
  const kept =
    tailAt >= 0 && tailAt < at ? all.slice(tailAt, at).map((placed) => ({ ...placed, isKept: true })) : [];
  const isSummary = ({ message }: Placed): boolean =>
    infoOf(message)['parentID'] === markerId && infoOf(message)['summary'] === true;
  const after = all.slice(at + 1);
  const others = after.filter((placed) => !isSummary(placed));
  return [...(marker ? [marker] : []), ...after.filter(isSummary), ...kept, ...others];
}

function compactionPart(message: WireObject): WireObject | undefined {
  const part = listOf(message['parts']).find((one) => objectOf(one)['type'] === 'compaction');
  return isObject(part) ? part : undefined;
}

/** Answers that failed are not sent again, unless they were aborted after they had said something. */
function isSent({ message }: Placed): boolean {
  const { error } = infoOf(message);
  if (!isObject(error)) return true;
  const isAborted = error['name'] === 'MessageAbortedError';
  return isAborted && listOf(message['parts']).some((part) => !silentParts.has(objectOf(part)['type']));
}

const silentParts: ReadonlySet<unknown> = new Set(['step-start', 'reasoning']);

function sessionOf(
  placed: readonly Placed[],
  kind: RecordedSession['kind'],
  id: string,
  title?: string,
): RecordedSession {
  const usage = placed.flatMap(usageOf);
  const model = usage.at(-1)?.model;
  return {
    id,
    kind,
    codec: opencodeCodec,
    messages: placed.map(({ message }) => message),
    origins: placed.map(({ index }) => ({ type: 'element', array: ['messages'], index })),
    usage,
    holdsWholePrompt: false,
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
  };
}

/** What an answer used. The call for a summary had a prompt of its own: what it used is not the session's. */
function usageOf({ message, isKept }: Placed, messageIndex: number): RecordedUsage[] {
  const info = infoOf(message);
  if (isKept || info['role'] !== 'assistant' || info['summary'] === true) return [];
  const tokens = objectOf(info['tokens']);
  const cache = objectOf(tokens['cache']);
  const cacheReadTokens = countOf(cache['read']);
  const cacheWriteTokens = countOf(cache['write']);
  const inputTokens = countOf(tokens['input']) + cacheReadTokens + cacheWriteTokens;
  if (inputTokens === 0) return [];
  const model = textOf(info['modelID']);
  const counted = {
    messageIndex,
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: countOf(tokens['output']),
  };
  return [model === undefined ? counted : { ...counted, model }];
}
