export interface QuotedText {
  readonly tag: string;
  readonly id?: string;
  readonly text: string;
  /** Not the whole text stands between the tags. */
  readonly isTruncated?: boolean;
}

/** Text between tags that it cannot close: the tag gets a number that does not occur in it. */
export function quoted({ tag, id, text, isTruncated = false }: QuotedText): string {
  let name = tag;
  for (let number = 2; text.includes(`</${name}`); number++) name = `${tag}-${number}`;
  return `<${name}${id === undefined ? '' : ` id="${id}"`}${isTruncated ? ' shortened="yes"' : ''}>\n${text}\n</${name}>`;
}
