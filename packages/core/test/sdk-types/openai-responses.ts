import type { ResponseInputItem } from 'openai/resources/responses/responses';
import type { ResponsesItem } from '../../src/codecs/openai-responses/openai-responses-codec.ts';

/** Compiles only while everything the codec composes is an item of the real SDK. */
export function isSdkItem(item: ResponsesItem): ResponseInputItem {
  return item;
}
