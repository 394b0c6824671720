import type { SessionMessage } from '@throughline/core';

/** Whether it holds images or files, in a result too. */
export function holdsMedia({ parts }: SessionMessage): boolean {
  return parts.some(
    (part) =>
      part.type === 'media' || (part.type === 'result' && part.content.some(({ type }) => type === 'media')),
  );
}
