import { withFunctions } from '../errors/check-options.ts';
import type { OptionCheck } from '../errors/check-options.ts';

/** What a codec that was handed in is known by. */
export const aCodec: OptionCheck = withFunctions(
  'a codec, as openaiChatCodec',
  'decode',
  'edit',
  'compose',
  'neutral',
);
