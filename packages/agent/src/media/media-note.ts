import { describeMedia } from './describe-media.ts';
import type { ResultContent } from '../tools/tool.ts';
import type { MediaFacts } from './media-facts.ts';

/** The text in the place of media that are not shown, for the model. */
export function mediaNote(facts: MediaFacts, why: string): ResultContent {
  return { type: 'text', text: `[${describeMedia(facts)} is not shown: ${why}]` };
}
