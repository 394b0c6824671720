import type { Json } from '@throughline/core/codec';
import type { ModelCall, ModelUsage } from '@throughline/ports';
import { isObject } from '@throughline/core/codec';
import { countOf, listOf, objectOf, parseJson, textOf } from '@throughline/core/internal';

import type { ToldUsage, WireObject } from '@throughline/core/internal';

export type { WireObject };
export { countOf, isObject, listOf, objectOf, parseJson, textOf };

type Parsed = Pick<ModelCall, 'input' | 'inputText' | 'isInvalid'>;

/** The arguments of a call as a value: a JSON object, `{}` where nothing was said, else the text itself and `isInvalid`. */
export function parseArguments(inputText: string): Parsed {
  if (inputText.trim() === '') return { input: {}, inputText, isInvalid: false };
  try {
    const input = JSON.parse(inputText) as Json;
    if (isObject(input)) return { input, inputText, isInvalid: false };
  } catch {
    // Told below.
  }
  return { input: inputText, inputText, isInvalid: true };
}

/**
 * The arguments as they may be sent again: servers refuse a history with arguments that are no JSON object, so what the
 * model wrote is put into one.
 */
export function sendableInput({ input, inputText, isInvalid }: Parsed): { readonly [key: string]: Json } {
  return !isInvalid && isObject(input) ? input : { INVALID_JSON: inputText };
}

/** {@link sendableInput} as text; what the model wrote stays as it is where it can. */
export function sendableText(parsed: Parsed): string {
  const { inputText, isInvalid } = parsed;
  if (isInvalid) return JSON.stringify(sendableInput(parsed));
  return inputText.trim() === '' ? '{}' : inputText;
}

/** Usage with its sum: as the server told it, else made of its parts. */
export function withTotal(
  usage: ToldUsage | undefined,
  { total_tokens: total }: WireObject = {},
): ModelUsage | undefined {
  const sum = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  return usage && { ...usage, totalTokens: countOf(total) || sum };
}
