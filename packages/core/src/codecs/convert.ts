import { aCodec, checkEntries } from '../errors/check-options.ts';
import { checkOption } from '../errors/check-options.ts';
import type { Entry, Part } from '../transcript/entry.ts';
import type { Codec, Loss, NeutralPart, Synthetic } from './codec.ts';

/** The messages of the target format, in order, and what was lost on the way. */
export interface Conversion {
  readonly messages: readonly unknown[];
  /** What the target format could not say; paths name the message and the part of the source. */
  readonly losses: readonly Loss[];
}

/** A part in neutral form, and the path of its source. */
interface Said {
  readonly part: NeutralPart;
  readonly path: string;
}

/** One message in neutral form, of one or more messages of the source. */
interface Draft {
  role: Synthetic['role'];
  readonly said: Said[];
  hasOnlyResults: boolean;
}

/**
 * The messages of one format in another: neutral, grouped, composed. Responses that came as several items become one
 * message where the target wants that; results that follow each other are handed over together, so that each format
 * spreads them as it must. Tool names that results do not repeat are taken from their calls. Signed and encrypted
 * reasoning and provider-bound parts cannot cross; they are listed in `losses`.
 *
 * @param entries the messages as `from.decode(message, index)` gives them
 * @throws {ContextError} `invalid-option` for messages that are not decoded, and for what is no codec.
 */
export function convertMessages(entries: readonly Entry[], from: Codec, to: Codec): Conversion {
  checkOption('from', aCodec, from);
  checkOption('to', aCodec, to);
  checkEntries(entries, 'from.decode');
  const joinsResponses = from.rules.entriesPerResponse === 'many' && to.rules.entriesPerResponse === 'one';
  const messages: unknown[] = [];
  const losses: Loss[] = entries.flatMap(lossesOf);
  for (const draft of joinDrafts(draftsOf(entries, from), joinsResponses)) {
    const parts = draft.said.map(({ part }) => part);
    const composed = to.compose({ role: draft.role, parts, kind: 'converted' });
    for (const message of composed.messages) messages.push(message);
    for (const loss of composed.losses) losses.push({ ...loss, path: sourcePath(draft, loss.path) });
  }
  return { messages, losses };
}

function draftsOf(entries: readonly Entry[], from: Codec): Draft[] {
  const names = new Map<string, string>();
  return entries.map((entry) => {
    const draft: Draft = {
      role: entry.role,
      said: [],
      hasOnlyResults: entry.role !== 'assistant',
    };
    entry.parts.forEach((part, index) => {
      if (part.type === 'call') names.set(part.callId, part.name);
      for (const said of from.neutral({ ...entry, parts: [part] })) {
        const isNameless = said.type === 'result' && said.name === '';
        const part = isNameless ? { ...said, name: names.get(said.callId) ?? '' } : said;
        draft.said.push({ part, path: pathOf(entry, index) });
        if (said.type !== 'result') draft.hasOnlyResults = false;
      }
    });
    return draft;
  });
}

/** Runs of results, and of an assistant's items where a response is several, become one draft each. */
function joinDrafts(drafts: readonly Draft[], joinsResponses: boolean): Draft[] {
  const joined: Draft[] = [];
  for (const draft of drafts) {
    if (draft.said.length === 0) continue;
    const last = joined.at(-1);
    if (last && (joinsResults(last, draft) || (joinsResponses && joinsResponse(last, draft))))
      append(last, draft);
    else joined.push(draft);
  }
  return joined;
}

function append(last: Draft, next: Draft): void {
  last.role = next.role;
  for (const said of next.said) last.said.push(said);
  last.hasOnlyResults &&= next.hasOnlyResults;
}

/** Results first, whatever comes with the last of them: one user message where the target puts results there. */
function joinsResults(last: Draft, next: Draft): boolean {
  return (
    last.hasOnlyResults && next.role !== 'assistant' && next.said.some(({ part }) => part.type === 'result')
  );
}

function joinsResponse(last: Draft, next: Draft): boolean {
  return last.role === 'assistant' && next.role === 'assistant';
}

function pathOf(entry: Entry, index: number): string {
  return `messages[${entry.ordinal}].parts[${index}]`;
}

function sourcePath({ said }: Draft, path: string): string {
  const index = /^parts\[(\d+)\]$/.exec(path)?.[1];
  return said[Number(index)]?.path ?? path;
}

function lossesOf(entry: Entry): readonly Loss[] {
  return entry.parts.flatMap((part, index) => {
    const reason = lossOf(part);
    return reason === undefined ? [] : [{ path: pathOf(entry, index), reason }];
  });
}

function lossOf(part: Part): string | undefined {
  if (part.type === 'opaque') return 'only its own format can say this part';
  return part.type === 'reasoning' && part.opaqueLength > 0
    ? 'signed reasoning stays in its own format'
    : undefined;
}
