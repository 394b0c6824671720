import { anthropicCodec } from '@throughline/core';
import { writeJson } from '@throughline/core/internal';
import { countOf, isObject, listOf, objectOf, textOf } from '../recording/json-value.ts';
import { derivedHex } from '../write/derived-id.ts';
import type { CompleteMessage, FormatReading, ReadOptions } from '../recording/format.ts';
import type { WireObject } from '../recording/json-value.ts';
import type { JsonDocument, RecordedSession, RecordedUsage } from '../recording/recording.ts';

/** A session of the command line is an object; the task of an editor is the bare list of its messages. */
export function clineEvidence(root: unknown): number {
  const messages = messagesOf(root).map(objectOf);
  if (Array.isArray(root)) {
    const isTask = messages.some((message) => typeof message['role'] === 'string' && isOwn(message));
    return isTask && !messages.some(isChat) ? messages.length + 2 : 0;
  }
  const marks = messages.filter(({ ts, metrics, modelInfo, role }) => {
    return typeof role === 'string' && (typeof ts === 'number' || isObject(metrics) || isObject(modelInfo));
  }).length;
  if (marks === 0) return 0;
  const { system_prompt: system, agent } = objectOf(root);
  return marks + (typeof system === 'string' ? 2 : 0) + (agent === undefined ? 0 : 2) + 1;
}

/** What Cline, or Roo Code after it, puts beside role and content. */
function isOwn(message: WireObject): boolean {
  return (
    modelOf(message) !== undefined || (typeof message['ts'] === 'number' && Array.isArray(message['content']))
  );
}

function isChat({ role, tool_calls: calls }: WireObject): boolean {
  return role === 'tool' || Array.isArray(calls);
}

function messagesOf(root: unknown): readonly unknown[] {
  return listOf(Array.isArray(root) ? root : objectOf(root)['messages']);
}

/**
 * Reads a Cline session, or the `api_conversation_history.json` of a task of Cline or Roo Code: Anthropic blocks, and
 * files the user attached. Active is what would be sent next: without what a summary or a cut hides, which is archived.
 * Tool schemas are not in the file. The model is the one that answered last.
 */
export function readCline({ value }: JsonDocument, { isWhole }: ReadOptions): FormatReading {
  const root = objectOf(value);
  const all = messagesOf(value).map((message, index): Placed => ({ message, index }));
  const array = Array.isArray(value) ? [] : ['messages'];
  const system = textOf(root['system_prompt']);
  const model = all.flatMap(({ message }) => modelOf(objectOf(message)) ?? []).at(-1);
  const id = textOf(root['sessionId']) ?? 'session';
  const session = (
    placed: readonly Placed[],
    kind: RecordedSession['kind'],
    sessionId: string,
  ): RecordedSession => ({
    id: sessionId,
    kind,
    codec: anthropicCodec,
    messages: placed.map(({ message }) => message),
    origins: placed.map(({ index }) => ({ type: 'element', array, index })),
    usage: placed.flatMap(({ message }, index) => usageOf(objectOf(message), index)),
    holdsWholePrompt: false,
    ...(system === undefined ? {} : { system }),
    ...(model === undefined ? {} : { model }),
  });
  const active = isWhole ? all : visible(all);
  const shown = new Set(active);
  const hidden = all.filter((placed) => !shown.has(placed));
  return {
    sessions: [
      session(active, 'active', id),
      ...(hidden.length === 0 ? [] : [session(hidden, 'archived', `${id}#archived-1`)]),
    ],
    notes: [],
  };
}

interface Placed {
  readonly message: unknown;
  readonly index: number;
}

/** Roo Code keeps what it no longer sends: all before its last summary, and what a mark of a cut names. */
function visible(all: readonly Placed[]): readonly Placed[] {
  const summaryAt = all.findLastIndex(({ message }) => objectOf(message)['isSummary'] === true);
  const left = summaryAt < 0 ? all : all.slice(summaryAt);
  const cuts = new Set(
    left.flatMap(({ message }) => {
      const { isTruncationMarker: isMark, truncationId } = objectOf(message);
      return isMark === true ? (textOf(truncationId) ?? []) : [];
    }),
  );
  return left.filter(({ message }) => !cuts.has(textOf(objectOf(message)['truncationParent']) ?? ''));
}

/** The model that made a message, under the name of the command line or of the editor. */
function modelOf(message: WireObject): string | undefined {
  const { id, modelId } = objectOf(message['modelInfo']);
  return textOf(id) ?? textOf(modelId);
}

/** Cline's input count includes what came from the cache. */
function usageOf(message: WireObject, messageIndex: number): RecordedUsage[] {
  const metrics = objectOf(message['metrics']);
  const inputTokens = countOf(metrics['inputTokens']);
  if (inputTokens === 0 || message['role'] !== 'assistant') return [];
  const model = modelOf(message);
  return [
    {
      messageIndex,
      inputTokens,
      cacheReadTokens: countOf(metrics['cacheReadTokens']),
      cacheWriteTokens: countOf(metrics['cacheWriteTokens']),
      outputTokens: countOf(metrics['outputTokens']),
      ...(model === undefined ? {} : { model }),
    },
  ];
}

/**
 * The content as the blocks that Cline keeps, and where the messages around it have them an id and the time of the
 * message before. What a message has of its own stays.
 */
export const completeClineMessage: CompleteMessage = (message, { before, nearest, position }) => {
  const value = objectOf(message);
  const { content } = value;
  const ts = value['ts'] ?? objectOf(before)['ts'] ?? objectOf(nearest)['ts'];
  const hasId = objectOf(nearest)['id'] !== undefined;
  const id = `msg_${derivedHex(`${position} ${writeJson(message)}`).slice(0, 12)}`;
  return {
    ...(hasId ? { id } : {}),
    ...value,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    ...(ts === undefined ? {} : { ts }),
  };
};
