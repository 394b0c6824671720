import type { WireEdit } from '../json/json.ts';
import { isObject } from '../json/json.ts';
import type { NeutralContent, NeutralMedia, WireRules } from './codec.ts';
import type { ChangeOfType, EditContext, EditTable } from './edit-table.ts';
import { editArguments, editResult, editTextPart, removeAt } from './edit-table.ts';
import { urlOfSource } from './media.ts';
import type { NeutralResult, NeutralSpeech, Placed, Said, Writers } from './neutral-parts.ts';
import {
  argumentsText,
  errorReasons,
  inOneMessage,
  inOneText,
  mediaStub,
  onlyOfAssistants,
  sayAll,
  sayContent,
  sayOnlyText,
  shortest,
} from './neutral-parts.ts';

export type InputText = { type: 'input_text'; text: string };

interface MediaBlock {
  readonly type: 'input_image' | 'input_file';
}

/** Results find their call by id over the whole input. Ids are as long as the Responses API accepts them. */
export const itemRules: WireRules = {
  resultsIn: 'item',
  entriesPerResponse: 'many',
  firstIsUser: false,
  allowsConsecutiveRoles: true,
  systemMessages: 'anywhere',
  uniqueCallIds: true,
  resultsAdjacent: false,
  mediaIn: { user: true, assistant: false, result: true },
  callIdPattern: /^[^]{1,64}$/,
  resultsFirst: false,
};

/** How a format of items says each thing. */
interface ItemWriter<Item, Media extends MediaBlock> {
  readonly message: (role: 'user' | 'system', content: string | (InputText | Media)[]) => Item;
  /** Where a system message is a text. @default it is said like one of the user */
  readonly system?: (text: string) => Item;
  readonly answer: (text: string) => Item;
  readonly call: (callId: string, name: string, args: string) => Item;
  readonly result: (result: NeutralResult, output: string | (InputText | Media)[]) => Item;
  readonly image: (url: string) => Media;
  readonly file: (media: NeutralMedia, url: string) => Media;
  /** Why reasoning is left out. */
  readonly noReasoning: string;
}

/** Calls and results are items of their own, and so is each text of an assistant; other roles say one message. */
export function itemWriters<Item, Media extends MediaBlock>(writer: ItemWriter<Item, Media>): Writers<Item> {
  const { system } = writer;
  const sayOne = (part: NeutralSpeech): Said<InputText | Media> => sayInput(part, writer);
  const messageOf = (role: 'user' | 'system') => (parts: readonly Placed<NeutralSpeech>[]) =>
    inOneMessage(sayAll(parts, sayOne), (blocks) => writer.message(role, shortest(blocks)));
  return {
    results: (results) => sayAll(results, (result) => sayResult(result, writer)),
    system: system ? (parts) => inOneText(parts, sayOnlyText, system) : messageOf('system'),
    user: messageOf('user'),
    assistant: (parts) => sayAll(parts, (part) => sayAsAssistant(part, writer)),
  };
}

function sayResult<Item, Media extends MediaBlock>(
  result: NeutralResult,
  writer: ItemWriter<Item, Media>,
): Said<Item> {
  const { blocks, reasons } = sayContent(result.content, (piece) => sayInput(piece, writer));
  return {
    blocks: [writer.result(result, shortest(blocks))],
    reasons: [...reasons, ...errorReasons(result)],
  };
}

function sayAsAssistant<Item, Media extends MediaBlock>(
  part: NeutralSpeech,
  writer: ItemWriter<Item, Media>,
): Said<Item> {
  if (part.type === 'text') return { blocks: part.text === '' ? [] : [writer.answer(part.text)] };
  if (part.type === 'reasoning') return { blocks: [], reasons: [writer.noReasoning] };
  if (part.type === 'call')
    return { blocks: [writer.call(part.callId, part.name, argumentsText(part.input))] };
  return {
    blocks: [writer.answer(mediaStub(part))],
    reasons: [`an assistant message holds no ${part.mediaType}`],
  };
}

function sayInput<Item, Media extends MediaBlock>(
  part: NeutralSpeech | NeutralContent,
  writer: ItemWriter<Item, Media>,
): Said<InputText | Media> {
  if (part.type === 'text') return { blocks: part.text === '' ? [] : [inputText(part.text)] };
  return part.type === 'media' ? sayMedia(part, writer) : onlyOfAssistants(part);
}

function sayMedia<Item, Media extends MediaBlock>(
  part: NeutralMedia,
  writer: ItemWriter<Item, Media>,
): Said<InputText | Media> {
  const { mediaType } = part;
  const url = urlOfSource(part);
  if (mediaType.startsWith('image/')) return { blocks: [writer.image(url)] };
  if (mediaType.startsWith('audio/') || mediaType.startsWith('video/'))
    return { blocks: [inputText(mediaStub(part))], reasons: [`the format holds no ${mediaType}`] };
  return { blocks: [writer.file(part, url)] };
}

export function inputText(text: string): InputText {
  return { type: 'input_text', text };
}

/** What differs between formats of items in how they are edited. */
interface ItemEdits {
  /** Types of items whose output can be rewritten; others have a form of their own and are sent on as they are. */
  readonly outputs: readonly unknown[];
  readonly renameCall: (wire: unknown, callId: string) => readonly WireEdit[];
  readonly replaceMedia: EditTable['replace-media'];
}

export function itemEdits({ outputs, renameCall, replaceMedia }: ItemEdits): EditTable {
  return {
    'replace-result': (change, context) => {
      const { wire } = context.entry;
      const type = isObject(wire) ? wire['type'] : undefined;
      if (type === 'shell_call_output') return editStreams(change);
      return outputs.includes(type) ? editOutput(change, context) : [];
    },
    'replace-arguments': editArguments,
    'replace-text': ({ part, text }, { entry }) => editTextPart(entry.wire, part, text, ['text', 'refusal']),
    'replace-media': replaceMedia,
    'drop-reasoning': ({ part }) => removeAt(part.at),
    'rename-call': ({ callId }, { entry }) => renameCall(entry.wire, callId),
    // A message of one text has no place for the text to leave: the item goes.
    'drop-part': ({ part }) => removeAt(part.at.length === 1 ? [] : part.at),
  };
}

function editOutput(change: ChangeOfType<'replace-result'>, context: EditContext): readonly WireEdit[] {
  const { part, keepMedia } = change;
  // A single block of media that is to stay has no place for a text.
  if (keepMedia && part.pieces.some(({ type, at }) => type === 'media' && at.length === 1)) return [];
  return editResult(change, context, { contentAt: ['output'], textBlock: inputText });
}

/** The streams of a shell stay in their places; the first carries the text, the others fall silent. */
function editStreams({ part, text }: ChangeOfType<'replace-result'>): readonly WireEdit[] {
  return part.pieces
    .filter((piece) => piece.type === 'text')
    .map((piece, index) => ({ at: piece.at, set: index === 0 ? text : '' }));
}
