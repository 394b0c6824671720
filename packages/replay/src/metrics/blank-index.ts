/** A placeholder that opens a text, and a second line: the index of what it stands for. */
const opening = /^\[cleared (?:result|argument) m\d[^\n]*\]\n/;
/** The index at the end of a result that was truncated. */
const closing = /\n\[names in what was left out\] [^\n]*$/;
/** The list of names and numbers behind a summary: its title and its lines, each behind the id of a message. */
const list = /^(\[Names and numbers [^\n]*\])(?:\nm\d[^\n]*)+/m;

/** One text of a message without the index of its placeholder; any other text as it is. */
export function withoutIndex(text: string): string {
  const match = opening.exec(text);
  return match ? match[0].trimEnd() : text.replace(closing, '');
}

/** One text of a message without the list behind a summary, either: its title stays. */
export function withoutLists(text: string): string {
  return withoutIndex(text).replace(list, '$1');
}
