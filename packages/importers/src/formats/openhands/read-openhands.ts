import { openaiChatCodec } from '@throughline/core';
import { countOf, isObject, listOf, objectOf, textOf } from '../../recording/json-value.ts';
import { unknownLinesNote } from '../../source/unreadable.ts';
import { isMostly } from '../../wire/message-shapes.ts';
import { addOutput } from './add-output.ts';
import { addSdkEvents, isSdkEvent } from './add-sdk-events.ts';
import type { FormatReading, ReadOptions } from '../../recording/format.ts';
import type { WireObject } from '../../recording/json-value.ts';
import type {
  JsonDocument,
  LinesDocument,
  RecordedSession,
  RecordedUsage,
} from '../../recording/recording.ts';

export function ownsOpenhandsLine(value: unknown): boolean {
  return isSdkEvent(value) || isOutput(value);
}

/** A run of the evaluation: an instance with its history of actions and observations. */
function isOutput(value: unknown): boolean {
  return isObject(value) && 'instance_id' in value && Array.isArray(value['history']);
}

/** A log of one model call: the whole request and the response. */
function isCallLog(root: unknown): boolean {
  return isObject(root) && Array.isArray(root['messages']) && isObject(root['response']);
}

export function openhandsEvidence(root: unknown): number {
  if (isCallLog(root)) return 3 + listOf(objectOf(root)['messages']).length;
  if (isOutput(root)) return 3;
  const events = listOf(root);
  if (isMostly(events, isSdkEvent)) return events.length;
  const trajectory = trajectoryIn(root);
  return isMostly(trajectory, isEvent) ? trajectory.length + 1 : 0;
}

/** The events of one conversation, as a list or as what the server gives. */
function trajectoryIn(root: unknown): readonly unknown[] {
  return Array.isArray(root) ? root : listOf(objectOf(root)['trajectory']);
}

/** An action or observation of a version before the SDK. */
function isEvent(value: unknown): boolean {
  const { source, action, observation } = objectOf(value);
  return typeof source === 'string' && (typeof action === 'string' || typeof observation === 'string');
}

/** Reads evaluation outputs (a session per line) or the events of one SDK conversation. */
export function readOpenhandsLines(document: LinesDocument, options: ReadOptions): FormatReading {
  const values = document.lines.map(({ value }) => value);
  const outputs = values.filter(isOutput).map((value, index) => addOutput(objectOf(value), index, options));
  const conversation = addSdkEvents(values.filter(isSdkEvent).map(objectOf), options);
  const unread = document.lines.filter(({ value }) => !ownsOpenhandsLine(value));
  const notes = unread.slice(0, 1).map(({ number }) => {
    return {
      line: number,
      note: unknownLinesNote(unread.length),
    };
  });
  return {
    sessions: [...outputs.flat(), ...conversation.sessions],
    notes: [...conversation.notes, ...notes],
  };
}

/** Reads the log of one model call, one evaluation output, or the list of a conversation's events. */
export function readOpenhandsJson({ value }: JsonDocument, options: ReadOptions): FormatReading {
  if (isCallLog(value)) return { sessions: [readCallLog(objectOf(value))], notes: [] };
  if (isOutput(value)) return { sessions: addOutput(objectOf(value), 0, options), notes: [] };
  if (isMostly(listOf(value), isSdkEvent)) return addSdkEvents(listOf(value).filter(isObject), options);
  const trajectory = { instance_id: 'trajectory', history: trajectoryIn(value) };
  return { sessions: addOutput(trajectory, 0, options), notes: [] };
}

function readCallLog(log: WireObject): RecordedSession {
  const messages = listOf(log['messages']);
  const response = objectOf(log['response']);
  const tools = log['tools'] ?? objectOf(log['kwargs'])['tools'];
  const model = textOf(response['model']);
  return {
    id: textOf(response['id']) ?? 'call',
    kind: 'active',
    codec: openaiChatCodec,
    messages,
    origins: messages.map((_, index) => ({ type: 'element', array: ['messages'], index })),
    usage: usageOf(objectOf(response['usage']), messages.length, model),
    holdsWholePrompt: true,
    ...(Array.isArray(tools) ? { tools: tools as unknown[] } : {}),
    ...(model === undefined ? {} : { model }),
  };
}

/** Prompt tokens as LiteLLM reports them, cached ones included. The response itself is not among the messages. */
function usageOf(usage: WireObject, messageIndex: number, model: string | undefined): RecordedUsage[] {
  const inputTokens = countOf(usage['prompt_tokens']);
  if (inputTokens === 0) return [];
  const cached = objectOf(usage['prompt_tokens_details'])['cached_tokens'];
  return [
    {
      messageIndex,
      inputTokens,
      cacheReadTokens: countOf(cached) || countOf(usage['cache_read_input_tokens']),
      cacheWriteTokens: countOf(usage['cache_creation_input_tokens']),
      outputTokens: countOf(usage['completion_tokens']),
      ...(model === undefined ? {} : { model }),
    },
  ];
}
