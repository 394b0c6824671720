import { anthropicCodec } from '@throughline/core';
import { createPlainFit } from '../following/plain-fit.ts';
import { recallDefinition } from '../following/recall-tool.ts';
import type { PlainFit } from '../following/plain-fit.ts';

/** The `usage` of a message. What comes out of the cache, or goes into it, is counted apart from `input_tokens`. */
export interface MessageUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

/**
 * The `messages` of an Anthropic request, made to fit.
 *
 * @throws {ContextError} `cannot-fit` when not even the irreducible part fits, or compaction is switched off.
 */
export const fitMessages: PlainFit<MessageUsage> = createPlainFit(
  anthropicCodec,
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
