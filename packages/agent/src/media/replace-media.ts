import type { SessionMessage } from '@throughline/core';
import type { ResultContent } from '../tools/tool.ts';
import type { SessionMedia } from './session-media.ts';

type Part = SessionMessage['parts'][number];
type Result = Extract<Part, { type: 'result' }>;

/** Where media stand: in a message of this role, or inside a result. What else a tool message holds counts as that. */
export type MediaPlace = 'system' | 'user' | 'assistant' | 'result';

/** Position among the parts of the message, and inside a result among its pieces. */
export interface MediaPosition {
  readonly place: MediaPlace;
  readonly part: number;
  readonly piece?: number;
}

/** What comes in the place of media: the same object leaves them as they are. */
export type Replacement = (media: SessionMedia, position: MediaPosition) => ResultContent;

/**
 * The message with other content in the place of its media. As many parts and pieces as before, in the same order; what
 * does not change stays the same object. Takes whatever a store may hold.
 */
export function replaceMedia(message: SessionMessage, replace: Replacement): SessionMessage {
  const { role } = message;
  const place = role === 'tool' ? 'result' : role;
  const parts = mapSame(message.parts, (part, index): Part => {
    if (part?.type === 'media') return replace(part, { place, part: index });
    return part?.type === 'result' ? replaceInResult(part, index, replace) : part;
  });
  return parts === message.parts ? message : { ...message, parts };
}

function replaceInResult(result: Result, part: number, replace: Replacement): Result {
  const content = mapSame(result.content, (one, piece) =>
    one?.type === 'media' ? replace(one, { place: 'result', part, piece }) : one,
  );
  return content === result.content ? result : { ...result, content };
}

/** The list with each item mapped; the list itself where all stay the same, or where it is none. */
function mapSame<Item>(list: readonly Item[], map: (item: Item, index: number) => Item): readonly Item[] {
  if (!Array.isArray(list)) return list;
  const mapped = list.map(map);
  return mapped.every((item, index) => item === list[index]) ? list : mapped;
}
