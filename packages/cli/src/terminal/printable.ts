// C0 and C1 controls, line and paragraph separators, and the marks that reorder text.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g; // oxlint-disable-line no-control-regex

/**
 * Text from a transcript that a terminal can show without obeying it: control characters and escape sequences become
 * visible symbols, reordering marks and lone surrogates U+FFFD. The result has no line breaks and no tabs.
 */
export function printable(text: string): string {
  return text.toWellFormed().replace(unsafe, symbolOf);
}

/** The same with line breaks kept and tabs as two spaces, for texts of several lines. */
export function printableLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/).map((line) => printable(line.replaceAll('\t', '  ')));
}

function symbolOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x09 || code === 0x0a || code === 0x0d) return ' ';
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}

// What JSON leaves as it is although a terminal may obey it.
const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A value as indented JSON that a terminal can show without obeying it. */
export function jsonText(value: unknown): string {
  return shown(JSON.stringify(value, null, 2));
}

/** The same on one line. */
export function jsonLine(value: unknown): string {
  return shown(JSON.stringify(value));
}

function shown(text: string): string {
  return `${text.replace(unsafeInJson, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
