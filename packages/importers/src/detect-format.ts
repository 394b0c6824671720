import { conversationsIn, holdsMessages } from './wire/conversations.ts';
import { wireEvidence } from './wire/wire-evidence.ts';
import { formatLabels, jsonFormats, lineFormats } from './formats.ts';
import { formatNames } from './recording.ts';
import type { FormatName } from './recording.ts';
import type { JsonDocument, RecordedDocument, SourceLine } from './source/document.ts';
import type { WireName } from './wire/wire-evidence.ts';

export type Detection =
  | { readonly type: 'format'; readonly format: FormatName }
  /** Lines of two formats in one file. */
  | { readonly type: 'mixed'; readonly line: number; readonly first: FormatName; readonly second: string }
  | { readonly type: 'unknown'; readonly reason: string };

/** In the order in which they win where a file fits several of them equally. */
export const wireNames: readonly WireName[] = [
  'session',
  'openai-chat',
  'anthropic',
  'ai-sdk',
  'openai-responses',
];

/** Says of which format a document is, from its content alone. */
export function detectFormat(document: RecordedDocument): Detection {
  if (document.type === 'json') return detectJson(document);
  const owners = document.lines.map(ownerOf);
  const first = owners.find((owner) => owner !== undefined);
  if (first !== undefined) return mixedAt(document.lines, owners, first) ?? { type: 'format', format: first };
  const single = asJson(document);
  const found = single ? detectJson(single) : { type: 'unknown' as const, reason: '' };
  return found.type === 'format' ? found : detectWire(document);
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

function ownerOf({ value }: SourceLine): FormatName | undefined {
  return lineFormats.find(({ owns }) => owns(value))?.name;
}

function mixedAt(
  lines: readonly SourceLine[],
  owners: readonly (FormatName | undefined)[],
  first: FormatName,
): Detection | undefined {
  for (const [index, line] of lines.entries()) {
    const owner = owners[index];
    if (owner === first) continue;
    if (owner !== undefined) return { type: 'mixed', line: line.number, first, second: formatLabels[owner] };
    if (holdsMessages(line.value))
      return { type: 'mixed', line: line.number, first, second: 'messages of a request' };
  }
  return undefined;
}

function detectJson(document: JsonDocument): Detection {
  const logs = jsonFormats.map(({ name, evidence }) => ({ name, evidence: evidence(document.value) }));
  const best = strongest(logs);
  const wire = strongest(wireCandidates(document));
  const winner = best.evidence > 0 && best.evidence >= wire.evidence ? best : wire;
  if (winner.evidence > 0) return { type: 'format', format: winner.name };
  return { type: 'unknown', reason: `no messages of a known form were found; ${knownFormats()}` };
}

function detectWire(document: RecordedDocument): Detection {
  const best = strongest(wireCandidates(document));
  if (best.evidence > 0) return { type: 'format', format: best.name };
  return { type: 'unknown', reason: `no line has a known form; ${knownFormats()}` };
}

interface Candidate {
  readonly name: FormatName;
  readonly evidence: number;
}

function wireCandidates(document: RecordedDocument): Candidate[] {
  const conversations = conversationsIn(document);
  return wireNames.map((name) => ({ name, evidence: wireEvidence(conversations, name) }));
}

function strongest(candidates: readonly Candidate[]): Candidate {
  const none: Candidate = { name: 'openai-chat', evidence: 0 };
  return candidates.reduce((best, one) => (one.evidence > best.evidence ? one : best), none);
}
