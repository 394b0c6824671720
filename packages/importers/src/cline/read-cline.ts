import { anthropicCodec } from '@throughline/core';
import { arrayOf, countOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { FormatReading } from '../format.ts';
import type { JsonObject } from '../json-value.ts';
import type { RecordedUsage } from '../recording.ts';
import type { JsonDocument } from '../source/document.ts';

/** A session of the command line is an object; the task of an editor is the bare list of its messages. */
export function clineEvidence(root: unknown): number {
  const messages = messagesOf(root).map(objectOf);
  if (Array.isArray(root)) {
    const isTask = messages.some((message) => typeof message['role'] === 'string' && modelOf(message));
    return isTask ? messages.length + 2 : 0;
  }
  const marks = messages.filter(({ ts, metrics, modelInfo, role }) => {
    return typeof role === 'string' && (typeof ts === 'number' || isObject(metrics) || isObject(modelInfo));
  }).length;
  if (marks === 0) return 0;
  const { system_prompt: system, agent } = objectOf(root);
  return marks + (typeof system === 'string' ? 2 : 0) + (agent === undefined ? 0 : 2) + 1;
}

function messagesOf(root: unknown): readonly unknown[] {
  return arrayOf(Array.isArray(root) ? root : objectOf(root)['messages']);
}

/**
 * Reads a Cline session, or the `api_conversation_history.json` of a task: Anthropic blocks, and files the user
 * attached. Tool schemas are not in the file. The model is the one that answered last.
 */
export function readCline({ value }: JsonDocument): FormatReading {
  const root = objectOf(value);
  const messages = messagesOf(value);
  const array = Array.isArray(value) ? [] : ['messages'];
  const system = textOf(root['system_prompt']);
  const model = messages.flatMap((message) => modelOf(objectOf(message)) ?? []).at(-1);
  return {
    sessions: [
      {
        id: textOf(root['sessionId']) ?? 'session',
        kind: 'active',
        codec: anthropicCodec,
        messages,
        origins: messages.map((_, index) => ({ type: 'element', array, index })),
        usage: messages.flatMap((message, index) => usageOf(objectOf(message), index)),
        holdsWholePrompt: false,
        ...(system === undefined ? {} : { system }),
        ...(model === undefined ? {} : { model }),
      },
    ],
    notes: [],
  };
}

/** The model that made a message, under the name of the command line or of the editor. */
function modelOf(message: JsonObject): string | undefined {
  const { id, modelId } = objectOf(message['modelInfo']);
  return textOf(id) ?? textOf(modelId);
}

/** Cline's input count includes what came from the cache. */
function usageOf(message: JsonObject, messageIndex: number): RecordedUsage[] {
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
