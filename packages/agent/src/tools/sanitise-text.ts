/** A text that every format and every database takes: no lone surrogates, NUL shown as `␀`. */
export function sanitiseText(text: string): string {
  const plain = text.includes('\0') ? text.replaceAll('\0', '␀') : text;
  return plain.toWellFormed();
}
