import { derivedHex } from '../write/derived-id.ts';
import { objectOf } from '../json-value.ts';
import type { CompleteMessage } from '../write/write-request.ts';

/** An id and the time of the message before, and the content as the blocks that Cline keeps. */
export const completeClineMessage: CompleteMessage = (message, { before, nearest, position }) => {
  const value = objectOf(message);
  const { content } = value;
  const ts = objectOf(before)['ts'] ?? objectOf(nearest)['ts'];
  return {
    id: `msg_${derivedHex(`${position} ${JSON.stringify(message)}`).slice(0, 12)}`,
    ...value,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    ...(ts === undefined ? {} : { ts }),
  };
};
