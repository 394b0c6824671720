import type { Path } from '../json/json.ts';
import { isObject } from '../json/json.ts';
import type { WireObject } from './decode-parts.ts';
import type { MemberChecks, Mending } from './mending.ts';
import { mendBlock, mendList, mendOutput, mendText, withMembers, withoutUnfit } from './mending.ts';

export type ItemMender = (item: WireObject, mending: Mending) => unknown;

/** How a format of items writes them. */
interface ItemShape {
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

/** How a format of items writes the content of its messages, or of its results. */
export interface ContentShape {
  /** The type of a text: it differs by who says it. */
  readonly textType: 'input_text' | 'output_text';
  readonly hasRefusals: boolean;
  /** Types of blocks that other formats have. */
  readonly foreign: readonly string[];
  /** What members that every block may have can hold. */
  readonly members: MemberChecks;
  /** Mends a block that is no text. */
  readonly media: (block: WireObject, at: Path, mending: Mending) => unknown;
}

const textTypes: readonly unknown[] = ['text', 'input_text', 'output_text'];

export function mendContent(
  content: readonly unknown[],
  at: Path,
  shape: ContentShape,
  mending: Mending,
): readonly unknown[] {
  const { textType, foreign } = shape;
  return mendList(content, at, (block, place) => {
    const mend = (found: WireObject): unknown => mendContentBlock(found, place, shape, mending);
    return mendBlock(block, place, { textType, foreign, mend }, mending);
  });
}

function mendContentBlock(given: WireObject, at: Path, shape: ContentShape, mending: Mending): unknown {
  const { textType } = shape;
  const block = withoutUnfit(given, at, shape.members, mending);
  const { type } = block;
  if (type === 'refusal' && shape.hasRefusals) return mendText(block, at, mending, 'refusal');
  if (!textTypes.includes(type)) return shape.media(block, at, mending);
  const own =
    type === textType
      ? block
      : withMembers(block, { type: mending.put([...at, 'type'], 'is the type of another role', textType) });
  return mendText(own, at, mending);
}

/** What a tool returned: a text, or a list of blocks that holds at least one. */
export function mendPieces(output: unknown, shape: ContentShape, mending: Mending): unknown {
  if (typeof output === 'string') return output;
  if (!Array.isArray(output)) return mendOutput(output, ['output'], mending);
  const pieces = mendContent(output, ['output'], shape, mending);
  return pieces.length === 0 ? mendOutput(undefined, ['output'], mending) : pieces;
}
