/** Characters that turn letters around. */
const turning = /[\u202A-\u202E]/gu;
/** Those, others that move what stands beside them, and what is not seen at all. */
const hidden = /[\u200B\u2060-\u2064\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

/**
 * Text in which every character counts, with those shown that would make it look like something else: a command that is
 * turned around on the screen runs as it is written.
 */
export function visibleText(text: string): string {
  return text.replace(hidden, named);
}

/**
 * Prose and titles, with those characters shown that turn letters around. What the scripts of the world need stays as it
 * is: isolates end with their paragraph, and text from right to left has its direction from its letters.
 */
export function readableText(text: string): string {
  return text.replace(turning, named);
}

function named(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`;
}
