/** A placeholder that opens a text, and a second line: the index of what it stands for. */
const opening = /^\[cleared (?:result|argument) m\d[^\n]*\]\n/;

/** One text of a message without the index of its placeholder; any other text as it is. */
export function withoutIndex(text: string): string {
  const match = opening.exec(text);
  return match ? match[0].trimEnd() : text;
}
