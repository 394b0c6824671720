/** What a user is told of lines that an importer does not know; the line of the first stands beside it. */
export function unknownLinesNote(count: number): string {
  return count === 1
    ? 'a line of an unknown type is not read'
    : `${count} lines of an unknown type are not read; this is the first`;
}
