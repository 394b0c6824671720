import { cutHead } from './cut-text.ts';

interface QuotedText {
  readonly tag: string;
  readonly id?: string;
  readonly text: string;
  /** Not the whole text stands between the tags. */
  readonly isTruncated?: boolean;
}

/** Text between tags that it cannot close: the tag gets a number that does not occur in it. */
export function quoted({ tag, id, text, isTruncated = false }: QuotedText): string {
  const closings = text.matchAll(new RegExp(`</${tag}(?:-(\\d{1,9}))?`, 'g'));
  let highest = 0;
  for (const [, number = '1'] of closings) highest = Math.max(highest, Number(number));
  const name = highest === 0 ? tag : `${tag}-${highest + 1}`;
  return `<${name}${id === undefined ? '' : ` id="${id}"`}${isTruncated ? ' shortened="yes"' : ''}>\n${text}\n</${name}>`;
}

const ourTags = /<(?=[\s/]{0,8}(?:history|message|previous_summary|latest_request|task|focus|words)\b)/gi;

const ourMarks =
  /(^|[\n\r\v\f\u0085\u2028\u2029])([^\S\n\r\v\f\u0085\u2028\u2029]{0,40})(?=[\u200b-\u200d\u2060\ufeff]{0,9}(?:(?:m\d{1,15}(?:\.\d{1,9})?[^\S\n\r\v\f\u0085\u2028\u2029]{1,9})?(?:USER|ASKED):|#{1,6}[^\S\n\r\v\f\u0085\u2028\u2029]{0,9}(?:State|Timeline|Original Task|Files changed|Session Summary)\b|\[Record kept by the context manager|<\/?words\b|(?:[-*•][^\S\n\r\v\f\u0085\u2028\u2029]{1,9})?(?:The newest (?:request of the user,|message was a request of the user,)|The assistant (?:was at work:|had answered and was waiting)|Todo list \(m\d|Checks that passed when last run:|Failed, without a later success|Started in the background; its end|Last (?:own )?commit:)))/g;

/** Text in which no line begins as what a summary says of itself, of the user or as its state: such lines are quoted with `>`. */
export function withoutMarks(text: string): string {
  return text.replace(ourMarks, '$1$2> ');
}

/** Text in which no tag of ours can be opened or closed. */
export function neutral(text: string): string {
  return text.replace(ourTags, '‹');
}

const focusChars = 2_000;

/** Data in a question to a model, between tags that it can neither open nor close. */
export function block(tag: string, text: string): string {
  return `<${tag}>\n${neutral(text)}\n</${tag}>`;
}

/** What the user asked to be heeded, behind the words that say so; empty where the user asked for nothing. */
export function focusBlock(words: string, focus: string | undefined): string {
  return focus === undefined || focus === '' ? '' : `${words}\n${block('focus', cutHead(focus, focusChars))}`;
}

/** The texts that hold something, with an empty line between them. */
export function paragraphs(texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .join('\n\n')
    .toWellFormed();
}
