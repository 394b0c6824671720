// What JSON leaves as it is although a terminal may obey it.
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A value as indented JSON that a terminal can show without obeying it. */
export function jsonText(value: unknown): string {
  return shown(JSON.stringify(value, null, 2));
}

/** The same on one line. */
export function jsonLine(value: unknown): string {
  return shown(JSON.stringify(value));
}

function shown(text: string): string {
  return `${text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
