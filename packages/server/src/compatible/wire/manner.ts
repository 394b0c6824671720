import { isObject } from '@throughline/core/codec';

type Fields = Readonly<Record<string, unknown>>;

/** An answer that may be no longer than this is no turn of a conversation. */
const mostTokensBeside = 256;

/**
 * How a program asks, beside what it says: with tools or without, how warm, in which format, for a few
 * tokens only. Turns of one conversation are asked in one manner; a call on the side (for a title, a suggestion), which
 * sends the same history, in another. What changes from turn to turn (limits by what is left, texts of instructions,
 * whether it is streamed) is no part of it.
 */
export function mannerOf(fields: Fields): string {
  const { tools, tool_choice: choice, temperature, response_format: format, text } = fields;
  const limits = [fields['max_tokens'], fields['max_completion_tokens'], fields['max_output_tokens']];
  return JSON.stringify([
    Array.isArray(tools) && tools.length > 0 && choice !== 'none',
    typeof temperature === 'number' ? temperature : null,
    typeIn(format) ?? typeIn(isObject(text) ? text['format'] : undefined) ?? 'text',
    limits.some((limit) => typeof limit === 'number' && limit <= mostTokensBeside),
  ]);
}

function typeIn(format: unknown): string | undefined {
  return isObject(format) && typeof format['type'] === 'string' ? format['type'] : undefined;
}
