import { readableText } from '../../parts/visible-text.ts';
import type { MessagePart } from '../../data/types.ts';

interface PlainMessageProps {
  /** As `m12`. */
  readonly place: string;
  readonly role: string;
  readonly text: string;
  /** Beside the role: that it is pinned, or not all of it is shown. */
  readonly note?: string;
}

/** A message as plain text: what models and tools wrote is shown and never interpreted. */
export function PlainMessage({ place, role, text, note }: PlainMessageProps) {
  return (
    <li className="rounded-md border border-line bg-ground p-2">
      <p className="flex gap-2 text-xs text-ink-faint">
        <span className="font-medium text-ink-soft">{role}</span>
        <span>{place}</span>
        {note !== undefined && <span>{note}</span>}
      </p>
      <p dir="auto" className="max-h-60 overflow-auto text-sm break-words whitespace-pre-wrap" tabIndex={0}>
        {readableText(text)}
      </p>
    </li>
  );
}

type Words = {
  readonly [Type in MessagePart['type']]: (part: Extract<MessagePart, { type: Type }>) => string;
};

const words: Words = {
  text: ({ text }) => text,
  reasoning: ({ text }) => text,
  call: ({ name, input }) => `${name} ${JSON.stringify(input)}`,
  result: ({ content }) =>
    content.map((piece) => (piece.type === 'text' ? piece.text : mediaWord(piece))).join('\n'),
  media: (part) => mediaWord(part),
  opaque: ({ value }) => JSON.stringify(value),
};

function mediaWord({
  mediaType,
  filename,
}: {
  readonly mediaType: string;
  readonly filename?: string;
}): string {
  return `[${filename ?? mediaType}]`;
}

export function partsText(parts: readonly MessagePart[]): string {
  return parts.map((part) => (words[part.type] as (part: MessagePart) => string)(part)).join('\n');
}

/** The role and the text of a message in the format of any model's server: its texts where it has some, else its JSON. */
export function wireText(message: unknown): { readonly role: string; readonly text: string } {
  if (typeof message !== 'object' || message === null) return { role: '', text: String(message) };
  const { role, ...rest } = message as { readonly role?: unknown };
  const texts: string[] = [];
  gather(rest, texts);
  return {
    role: typeof role === 'string' ? role : '',
    text: texts.length > 0 ? texts.join('\n') : JSON.stringify(rest, null, 2),
  };
}

const deepest = 12;
/** Fields that hold what was said, in the formats that there are. */
const textFields: ReadonlySet<string> = new Set([
  'text',
  'content',
  'thinking',
  'output',
  'arguments',
  'input',
  'value',
]);
const nameFields: ReadonlySet<string> = new Set(['name', 'toolName']);

function gather(value: unknown, into: string[], depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > deepest) return;
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === 'string') {
      if (textFields.has(name) || nameFields.has(name)) into.push(field);
    } else if (name === 'input' || name === 'args') into.push(JSON.stringify(field));
    else gather(field, into, depth + 1);
  }
}
