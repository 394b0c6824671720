import { writeJson } from '@throughline/core';
import { derivedHex } from '../write/derived-id.ts';
import { objectOf } from '../json-value.ts';
import type { CompleteMessage } from '../write/write-request.ts';

/**
 * The content as the blocks that Cline keeps, and where the messages around it have them an id and the time of the
 * message before. What a message has of its own stays.
 */
export const completeClineMessage: CompleteMessage = (message, { before, nearest, position }) => {
  const value = objectOf(message);
  const { content } = value;
  const ts = value['ts'] ?? objectOf(before)['ts'] ?? objectOf(nearest)['ts'];
  const hasId = objectOf(nearest)['id'] !== undefined;
  const id = `msg_${derivedHex(`${position} ${writeJson(message)}`).slice(0, 12)}`;
  return {
    ...(hasId ? { id } : {}),
    ...value,
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    ...(ts === undefined ? {} : { ts }),
  };
};
