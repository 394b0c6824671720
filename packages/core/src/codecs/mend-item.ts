import { isObject } from '../json/json.ts';
import type { WireObject } from './decode-parts.ts';
import type { MemberChecks, Mending } from './mending.ts';
import { withMembers, withoutUnfit } from './mending.ts';

export type ItemMender = (item: WireObject, mending: Mending) => unknown;

/** How a format of items writes them. */
export interface ItemShape {
  /** What an item is called in an error. */
  readonly what: string;
  /** What members that every item may have can hold. */
  readonly members: MemberChecks;
  readonly items: ReadonlyMap<unknown, ItemMender>;
  /** An item with a role and no type is a message. */
  readonly message: ItemMender;
  /** Items of types that are not known here. */
  readonly other: ItemMender;
}

/** What stands inside a message, in one format or another: none of it is an item by itself. */
const blockTypes: readonly unknown[] =
  'text input_text output_text refusal input_image input_file input_audio image file image_url tool_use tool_result tool-call tool-result'.split(
    ' ',
  );

/** An item of a format in which calls, results and reasoning stand beside the messages; what is none is refused. */
export function mendItem(item: unknown, shape: ItemShape, mending: Mending): unknown {
  if (!isObject(item)) return mending.refuse([], `${shape.what}, with a type`, item);
  const { type, role } = item;
  const fit = withoutUnfit(item, [], shape.members, mending);
  if (blockTypes.includes(type))
    return mending.refuse(['type'], 'the type of an item, not of a content block', type);
  if (typeof type === 'string' && type !== '') return (shape.items.get(type) ?? shape.other)(fit, mending);
  if (role === undefined) return mending.refuse(['type'], 'the type of an item', type);
  if (type === undefined) return shape.message(fit, mending);
  const typed = withMembers(fit, { type: mending.put(['type'], 'was no type', 'message') });
  return shape.message(typed, mending);
}
