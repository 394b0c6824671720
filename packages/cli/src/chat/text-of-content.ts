import { fieldsOf, isList } from './fields-of.ts';
import type { Json } from '@throughline/core';

/** What a user sent, as text: images and files as their names in brackets. */
export function textOfContent(content: Json): string {
  if (typeof content === 'string') return content;
  const parts = isList(content) ? content : fieldsOf(content)['parts'];
  return isList(parts) ? parts.map(textOfPart).join('\n') : '';
}

function textOfPart(part: Json): string {
  const { type, text, filename, mediaType } = fieldsOf(part);
  if (type === 'text') return typeof text === 'string' ? text : '';
  const name = [filename, mediaType, type].find((one) => typeof one === 'string');
  return `[${String(name)}]`;
}
