const number = String.raw`\d[\d,]{0,14}`;
const placeholders: Readonly<Record<string, string>> = { any: '[^]{0,200}?' };

/**
 * A pattern out of a message as a server writes it: `{name}` stands for a number, `{any}` for up to 200 characters, a
 * space for any white space; upper and lower case are the same. All repetitions are bounded.
 */
export function messagePattern(message: string): RegExp {
  const source = message
    .split(/\{(\w+)\}/)
    .map((piece, index) =>
      index % 2 === 0 ? literal(piece) : (placeholders[piece] ?? `(?<${piece}>${number})`),
    )
    .join('');
  return new RegExp(source, 'i');
}

function literal(text: string): string {
  return text
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
    .join(String.raw`\s{1,20}`);
}

/** The numbers of a match, by name. */
export function numbersOf(match: RegExpExecArray): Readonly<Record<string, number>> {
  const entries = Object.entries(match.groups ?? {}).map(([name, text]) => [
    name,
    Number(text.split(',').join('')),
  ]);
  return Object.fromEntries(entries) as Record<string, number>;
}
