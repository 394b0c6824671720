import { fieldsOf, isList } from './fields-of.ts';
import { textOfContent } from './text-of-content.ts';
import type { SessionMessage } from '@throughline/core';

/**
 * The texts of messages that were sent from another terminal, by the message of the history that they became: one that
 * was taken alone is that message; of several taken together each stands in its `meta.originalMessages`.
 */
export function saidElsewhere({ parts, meta }: SessionMessage, ids: readonly string[]): readonly string[] {
  const originals = meta?.['originalMessages'];
  const texts = (isList(originals) ? originals : []).flatMap((one): string[] => {
    const { id, content } = fieldsOf(one);
    return content !== undefined && ids.some((asked) => asked === id) ? [textOfContent(content)] : [];
  });
  if (texts.length > 0) return texts;
  return [parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')];
}
