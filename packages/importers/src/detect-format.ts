import { describeDocument, foreignDocument } from './foreign-document.ts';
import { conversationsIn } from './wire/conversations.ts';
import { foreignForm, wireEvidence } from './wire/wire-evidence.ts';
import { holdsMessages } from './wire/message-shapes.ts';
import { jsonFormats, lineFormats } from './formats.ts';
import { requestNames } from './requests/request-formats.ts';
import { formatLabels, formatNames } from './recording/format-names.ts';
import type { FormatName } from './recording/format-names.ts';
import type { JsonDocument, RecordedDocument, SourceLine } from './recording/recording.ts';
import type { Conversation } from './wire/conversations.ts';

/** Which format a document is of. Lines are counted from 1; `reason` is a sentence for people. */
export type Detection =
  | { readonly type: 'format'; readonly format: FormatName }
  /** Lines of two formats in one file: what each is called, and the line where the second begins. */
  | { readonly type: 'mixed'; readonly line: number; readonly first: string; readonly second: string }
  | { readonly type: 'unknown'; readonly reason: string };

/** Says of which format a document is, from its content alone. */
export function detectFormat(document: RecordedDocument): Detection {
  if (document.type === 'json') return detectJson(document);
  const owners = document.lines.map(ownerOf);
  const first = owners.find((owner) => owner !== undefined);
  const mixed = first === undefined ? undefined : mixedAt(document.lines, owners, first);
  if (mixed) return mixed;
  if (first !== undefined && first !== 'messages') return { type: 'format', format: first };
  const single = asJson(document);
  const found = single ? detectJson(single) : undefined;
  return found?.type === 'format' ? found : detectWire(document);
}

/** A JSONL file of one line may as well be a JSON file without line breaks. */
export function asJson(document: RecordedDocument): JsonDocument | undefined {
  if (document.type === 'json') return document;
  const [only] = document.lines;
  if (only === undefined || document.lines.length > 1) return undefined;
  return { type: 'json', text: only.text + document.finalEnd, value: only.value };
}

/** The formats that can be read, as a sentence. */
export function knownFormats(): string {
  return `known formats are ${formatNames.join(', ')}`;
}

/** Whose a line is: a tool's, any request's, or nobody's. */
type Owner = FormatName | 'messages';

function ownerOf({ value }: SourceLine): Owner | undefined {
  return lineFormats.find(({ owns }) => owns(value))?.name ?? (holdsMessages(value) ? 'messages' : undefined);
}

/**
 * The first line of another format than the first. Among messages a few lines of any form are let pass: they are kept
 * as they are, and told.
 */
function mixedAt(
  lines: readonly SourceLine[],
  owners: readonly (Owner | undefined)[],
  first: Owner,
): Detection | undefined {
  const adopts = lineFormats.find(({ name }) => name === first)?.adopts;
  const recognisedBy = lines[owners.indexOf(first)]?.value;
  const isOther = (owner: Owner | undefined, at: number): boolean =>
    owner !== undefined && owner !== first && adopts?.(lines[at]?.value, recognisedBy) !== true;
  const others = owners.filter(isOther).length;
  const mayStray = Math.max(1, Math.floor(lines.length * strayShare));
  const isStray = first === 'messages' && others <= mayStray && others * 2 < lines.length;
  const at = isStray ? -1 : owners.findIndex(isOther);
  const [line, second] = [lines[at], owners[at]];
  if (line === undefined || second === undefined) return undefined;
  return { type: 'mixed', line: line.number, first: labelOf(first), second: labelOf(second) };
}

const strayShare = 0.1;

function labelOf(owner: Owner): string {
  return owner === 'messages' ? 'messages of a request' : formatLabels[owner];
}

function detectJson(document: JsonDocument): Detection {
  const logs = jsonFormats.map(({ name, evidence }) => ({ name, evidence: evidence(document.value) }));
  const best = strongest(logs);
  const conversations = conversationsIn(document);
  const wire = strongest(wireCandidates(conversations));
  if (best.evidence > 0 && best.evidence >= wire.evidence) return { type: 'format', format: best.name };
  return wireFormat(document, conversations, wire);
}

function detectWire(document: RecordedDocument): Detection {
  const conversations = conversationsIn(document);
  return wireFormat(document, conversations, strongest(wireCandidates(conversations)));
}

function wireFormat(
  document: RecordedDocument,
  conversations: readonly Conversation[],
  best: Candidate,
): Detection {
  const foreign = foreignForm(conversations);
  if (foreign !== undefined) return { type: 'unknown', reason: foreign };
  if (best.evidence > 0) return { type: 'format', format: best.name };
  const known = foreignDocument(document, labelOfLog);
  if (known !== undefined) return { type: 'unknown', reason: known };
  const found = `no messages of a known form were found in ${describeDocument(document)}`;
  return { type: 'unknown', reason: `${found}; ${knownFormats()}` };
}

function labelOfLog(value: unknown): string | undefined {
  const log = lineFormats.find(({ owns }) => owns(value));
  return log && formatLabels[log.name];
}

interface Candidate {
  readonly name: FormatName;
  readonly evidence: number;
}

function wireCandidates(conversations: readonly Conversation[]): Candidate[] {
  return requestNames.map((name) => ({ name, evidence: wireEvidence(conversations, name) }));
}

function strongest(candidates: readonly Candidate[]): Candidate {
  const none: Candidate = { name: 'openai-chat', evidence: 0 };
  return candidates.reduce((best, one) => (one.evidence > best.evidence ? one : best), none);
}
