import { objectOf, textOf } from '../json-value.ts';
import type { ViewMessage } from '../recording.ts';

/**
 * Answers name the request they answer, and OpenCode shows them under it. Where that request is not in the view any
 * more, they are put under the newest one before them that is.
 */
export function relinkAnswers(view: readonly ViewMessage[]): readonly ViewMessage[] {
  const ids = new Set(view.map((item) => (item.type === 'original' ? idOf(item.message) : undefined)));
  let request: string | undefined;
  return view.map((item) => {
    if (item.type !== 'original') return item;
    const message = objectOf(item.message);
    const info = objectOf(message['info']);
    if (info['role'] === 'user') request = idOf(message) ?? request;
    const parent = textOf(info['parentID']);
    if (parent === undefined || ids.has(parent) || request === undefined) return item;
    return { ...item, message: { ...message, info: { ...info, parentID: request } }, isEdited: true };
  });
}

function idOf(message: unknown): string | undefined {
  return textOf(objectOf(objectOf(message)['info'])['id']);
}
