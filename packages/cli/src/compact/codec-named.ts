import {
  aiSdkCodec,
  anthropicCodec,
  openaiChatCodec,
  openaiResponsesCodec,
  sessionCodec,
} from '@throughline/core';
import { opencodeCodec, piCodec, sweAgentCodec } from '@throughline/importers';
import type { Codec } from '@throughline/core';

const codecs: readonly Codec[] = [
  openaiChatCodec,
  openaiResponsesCodec,
  anthropicCodec,
  aiSdkCodec,
  sessionCodec,
  opencodeCodec,
  piCodec,
  sweAgentCodec,
];

/** The codec that a state file names; `undefined` where it is not known here. */
export function codecNamed(name: string): Codec | undefined {
  return codecs.find((codec) => codec.name === name);
}
