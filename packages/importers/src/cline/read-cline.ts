import { anthropicCodec } from '@throughline/core';
import { arrayOf, countOf, isObject, objectOf, textOf } from '../json-value.ts';
import type { FormatReading } from '../format.ts';
import type { JsonObject } from '../json-value.ts';
import type { RecordedUsage } from '../recording.ts';
import type { JsonDocument } from '../source/document.ts';

export function clineEvidence(root: unknown): number {
  if (!isObject(root) || !Array.isArray(root['messages'])) return 0;
  const marks = root['messages'].filter((message) => {
    const { ts, metrics, modelInfo, role } = objectOf(message);
    return typeof role === 'string' && (typeof ts === 'number' || isObject(metrics) || isObject(modelInfo));
  }).length;
  if (marks === 0) return 0;
  return marks + (typeof root['system_prompt'] === 'string' ? 2 : 0) + ('agent' in root ? 2 : 0) + 1;
}

/** Reads a Cline session: Anthropic blocks, and files the user attached. Tool schemas are not in the file. */
export function readCline({ value }: JsonDocument): FormatReading {
  const root = objectOf(value);
  const messages = arrayOf(root['messages']);
  const system = textOf(root['system_prompt']);
  const usage = messages.flatMap((message, index) => usageOf(objectOf(message), index));
  const model = usage.at(-1)?.model;
  return {
    sessions: [
      {
        id: textOf(root['sessionId']) ?? 'session',
        kind: 'active',
        codec: anthropicCodec,
        messages,
        origins: messages.map((_, index) => ({ type: 'element', array: ['messages'], index })),
        usage,
        holdsWholePrompt: false,
        ...(system === undefined ? {} : { system }),
        ...(model === undefined ? {} : { model }),
      },
    ],
    notes: [],
  };
}

/** Cline's input count includes what came from the cache. */
function usageOf(message: JsonObject, messageIndex: number): RecordedUsage[] {
  const metrics = objectOf(message['metrics']);
  const inputTokens = countOf(metrics['inputTokens']);
  if (inputTokens === 0 || message['role'] !== 'assistant') return [];
  const model = textOf(objectOf(message['modelInfo'])['id']);
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
