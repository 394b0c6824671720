import { anthropicCodec } from '@throughline/core';
import { withoutFields } from '@throughline/core/codec';
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
const requestCodec = withoutFields(anthropicCodec, answerFields, 'belongs to an answer and is not sent back');

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
