import { messageText } from './message-text.ts';
import type { Entry } from '@throughline/core/codec';
import type { Inspected } from './inspected.ts';

/** Where a client, or its provider, has made a history shorter by itself, before we saw it. */
export interface ClientCompaction {
  /** Place of the message that stands for what went. */
  readonly ordinal: number;
  /** Who did it. */
  readonly by: string;
  /** What stands there; empty where only the provider can read it. */
  readonly text: string;
  /** Estimated. */
  readonly tokens: number;
}

/** How the summaries of clients begin, as they write them in front of a history that begins anew. */
const openings: readonly (readonly [RegExp, string])[] = [
  [/^This session is being continued from a previous conversation\b/, 'Claude Code'],
  [/^Another language model started to solve this problem and produced a summary\b/, 'Codex'],
  [/^The conversation history before this point was compacted into the following summary:/, 'pi'],
  [/^<state_snapshot>/, 'Gemini CLI'],
];

/** OpenCode has a question of its own, and the summary as the answer. */
const openCodeQuestion = /^What did we do so far\?\s*$/;

const known = new WeakMap<Inspected, readonly ClientCompaction[]>();

/** All of them that can be seen in the history, oldest first. What they took is not in it. */
export function clientCompactions(inspected: Inspected): readonly ClientCompaction[] {
  const found = known.get(inspected) ?? find(inspected);
  known.set(inspected, found);
  return found;
}

function find({ transcript: { conversation } }: Inspected): readonly ClientCompaction[] {
  let before: Entry | undefined;
  return [...conversation.entries].flatMap((entry): ClientCompaction[] => {
    const by = clientOf(entry, before);
    before = entry;
    if (by === undefined) return [];
    const { ordinal } = entry;
    const text = by === provider ? '' : messageText(entry);
    return [{ ordinal, by, text, tokens: conversation.sizes.at(ordinal)?.tokens ?? 0 }];
  });
}

const provider = 'the provider';

function clientOf(entry: Entry, before: Entry | undefined): string | undefined {
  if (isSummaryOfPi(entry)) return 'pi';
  if (entry.parts.some((part) => part.type === 'opaque' && part.isBarrier)) return provider;
  if (entry.role === 'assistant')
    return before && textsOf(before).some((text) => openCodeQuestion.test(text)) ? 'OpenCode' : undefined;
  if (entry.role !== 'user') return undefined;
  const texts = textsOf(entry);
  return openings.find(([pattern]) => texts.some((text) => pattern.test(text)))?.[1];
}

/** In its own recordings pi does not write the summary as it sends it. */
export function isSummaryOfPi({ wire }: Entry): boolean {
  return typeof wire === 'object' && wire !== null && 'role' in wire && wire.role === 'compactionSummary';
}

/** What was said, apart from outputs of tools: those may quote anything. */
function textsOf({ role, parts }: Entry): readonly string[] {
  return parts.flatMap((part) =>
    part.type === 'text' && role === 'user' ? [part.text.slice(0, 400).trimStart()] : [],
  );
}
