import { anthropicCodec } from '@throughline/core';
import type { Codec } from '@throughline/core';
import { createPlainFit } from '../following/plain-fit.ts';
import { recallDefinition } from '../following/recall-tool.ts';
import type { PlainFit } from '../following/plain-fit.ts';

/** The `usage` of a message. What comes out of the cache, or goes into it, is counted apart from `input_tokens`. */
export interface MessageUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

/** What a response has beside role and content, and Claude Code's log with it: a request that repeats it is refused. */
const answerFields = [
  'id',
  'type',
  'model',
  'stop_reason',
  'stop_sequence',
  'stop_details',
  'usage',
  'container',
  'context_management',
  'diagnostics',
];

/** Messages as a request takes them. A log keeps those fields: only what is sent goes without them. */
const requestCodec: Codec = {
  ...anthropicCodec,
  mend(given, mending) {
    const message = anthropicCodec.mend?.(given, mending) ?? given;
    const fields = message as Readonly<Record<string, unknown>>;
    const found = answerFields.filter((name) => Object.hasOwn(fields, name));
    if (found.length === 0) return message;
    for (const name of found) mending.note([name], 'belongs to an answer and is not sent back');
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !found.includes(name)));
  },
};

/**
 * The `messages` of an Anthropic request, made to fit.
 *
 * @throws {ContextError} `cannot-fit` when not even the irreducible part fits, or compaction is switched off.
 */
export const fitMessages: PlainFit<MessageUsage> = createPlainFit(
  requestCodec,
  (usage) =>
    usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
);

const { name, description, parameters } = recallDefinition;

/** The `recall` tool for `tools`; `recall` of the fitted request answers its calls. */
export const recallTool = {
  name,
  description,
  input_schema: { ...parameters, type: 'object' as const },
};
