import { jsonMemberSpan } from '@throughline/core/internal';

/** A stretch of a text, and what is to stand there. */
export interface TextReplacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with these stretches replaced; they do not overlap. */
export function splice(text: string, pieces: readonly TextReplacement[]): string {
  let edited = '';
  let at = 0;
  for (const piece of pieces.toSorted((a, b) => a.start - b.start)) {
    edited += text.slice(at, piece.start) + piece.text;
    at = piece.end;
  }
  return edited + text.slice(at);
}

/** Where members of a JSON object get another value, and the text with those that it has not, in front of the others. */
interface MemberEdits {
  readonly pieces: readonly TextReplacement[];
  readonly added: readonly string[];
}

export function memberEdits(text: string, members: Readonly<Record<string, unknown>>): MemberEdits {
  const pieces: TextReplacement[] = [];
  const added: string[] = [];
  for (const [key, value] of Object.entries(members)) {
    const span = jsonMemberSpan(text, key);
    if (span) pieces.push({ ...span, text: JSON.stringify(value) });
    else added.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
  }
  return { pieces, added };
}

/** The JSON object with these members, everything else character for character as it is. It has one member at least. */
export function withMembers(text: string, members: Readonly<Record<string, unknown>>): string {
  return applyEdits(text, memberEdits(text, members));
}

export function applyEdits(text: string, { pieces, added }: MemberEdits): string {
  const edited = splice(text, pieces);
  if (added.length === 0) return edited;
  const open = edited.indexOf('{') + 1;
  return `${edited.slice(0, open)}${added.join(',')},${edited.slice(open)}`;
}
