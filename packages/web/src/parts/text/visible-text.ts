/** Characters that turn the direction of what follows, or are not seen at all. */
const hidden = /[\u200B\u2060-\u2064\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

/**
 * Text in which every character counts, with those shown that would make it look like something else: a command that is
 * turned around on the screen runs as it is written.
 */
export function visibleText(text: string): string {
  return text.replace(hidden, (found) => `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`);
}
