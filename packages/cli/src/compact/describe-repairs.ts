import { countOf } from '../terminal/numbers.ts';
import type { Repair } from '@throughline/core';

const sentences: Readonly<Record<Repair['type'], (count: number) => string>> = {
  'result-added': (count) => `${countOf(count, 'call')} without a result got an error result`,
  'result-dropped': (count) => `${countOf(count, 'result')} without a call left out`,
  'result-moved': (count) => `${countOf(count, 'late result')} put behind the call`,
  'results-reordered': (count) => `results put first in ${countOf(count, 'message')}`,
  'call-dropped': (count) => `${countOf(count, 'misplaced call')} left out`,
  'call-renamed': (count) => `${countOf(count, 'call')} renamed`,
  'part-dropped': (count) => `${countOf(count, 'part')} that cannot be sent left out`,
  'media-replaced': (count) => `${countOf(count, 'image or file', 'images or files')} replaced by a note`,
  'text-cleaned': (count) => `broken characters replaced in ${countOf(count, 'message')}`,
  'shape-mended': (count) => `${countOf(count, 'place')} brought into the form of the format`,
  'end-trimmed': () => 'white space at the end of the last answer left out',
  'message-dropped': (count) => `${countOf(count, 'empty message')} left out`,
  'system-converted': (count) => `${countOf(count, 'system message')} sent as a user message`,
  'messages-joined': (count) => `${countOf(count, 'response')} joined into one message`,
  'note-added': (count) => `${countOf(count, 'note')} added to keep the order of roles`,
};

/** What was repaired for the format, in words. */
export function describeRepairs(repairs: readonly Repair[]): string {
  const counts = new Map<Repair['type'], number>();
  for (const { type } of repairs) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => sentences[type](count)).join(', ');
}
