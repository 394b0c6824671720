const ourTags = /<(?=[\s/]{0,8}(?:history|message|previous_summary|task|focus)\b)/gi;

/** Text in which no tag of ours can be opened or closed. */
export function neutral(text: string): string {
  return text.replace(ourTags, '‹');
}
