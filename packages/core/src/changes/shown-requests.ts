import { isRequest } from '../transcript/own-words.ts';
import { shownIn } from './view.ts';
import type { View } from './view.ts';

/** Positions in the history; -1 where the view shows none. */
export interface ShownRequests {
  /** The first request of the user, where it is shown. */
  readonly taskAt: number;
  /** The newest request that is shown. */
  readonly latestAt: number;
}

/**
 * The words of the user that a view shows. What is done to a view depends on these alone: one that went with its results
 * into a range is part of the summary, whether or not it was loaded.
 */
export function shownRequests(view: View): ShownRequests {
  const { taskAt, latestAt } = view.conversation;
  if (taskAt >= view.tailFrom) return { taskAt, latestAt };
  const isShown = shownIn(view);
  return {
    taskAt: taskAt >= 0 && isShown(taskAt) ? taskAt : -1,
    latestAt: latestAt < 0 || isShown(latestAt) ? latestAt : newestInHead(view),
  };
}

/** Of what stands in front of the tail: behind it there is none. */
function newestInHead({ items, conversation, tailFrom }: View): number {
  let newest = -1;
  const head = items.length - (conversation.entries.length - tailFrom);
  for (let index = 0; index < head; index += 1) {
    const item = items.at(index);
    if (item?.type === 'entry' && isRequest(item.entry)) newest = Math.max(newest, item.position);
  }
  return newest;
}
