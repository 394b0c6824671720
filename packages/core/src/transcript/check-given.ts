import { invalidOption, withFunctions } from '../errors/check-options.ts';
import { isObject } from '../json/json.ts';
import type { OptionCheck } from '../errors/check-options.ts';

/**
 * @param decode what decodes the messages, in the words of the caller
 * @throws {ContextError} `invalid-option` for messages that are not decoded.
 */
export function checkEntries(entries: unknown, decode: string): void {
  if (!Array.isArray(entries))
    throw invalidOption('entries', `a list of decoded messages, each ${decode}(message, index)`, entries);
  const wrong = entries.findIndex((entry) => !isObject(entry) || !Array.isArray(entry['parts']));
  if (wrong < 0) return;
  throw invalidOption(`entries[${wrong}]`, `a decoded message, ${decode}(message, index)`, entries[wrong]);
}

/** What a codec that was handed in is known by. */
export const aCodec: OptionCheck = withFunctions(
  'a codec, as openaiChatCodec',
  'decode',
  'edit',
  'compose',
  'neutral',
);
