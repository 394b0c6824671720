import { appendMessages, renderView, rewind } from '@throughline/core';
import { givenMessage } from '@throughline/core/internal';
import type { ContextState, Entry, Transcript, View } from '@throughline/core';
import type { Rendered, RenderedMessage } from '@throughline/core/types';
import type { CategoryChange } from './compaction.ts';

/** What would be sent, decoded and measured anew. */
export interface WeighedView {
  readonly transcript: Transcript;
  /** Positions of the messages that the engine wrote. */
  readonly written: ReadonlySet<number>;
}

export function weighView(history: Transcript, rendered: readonly RenderedMessage<unknown>[]): WeighedView {
  const messages = rendered.map(({ message }) => message);
  const written = rendered.flatMap(({ source }, position) => (source === 'written' ? [position] : []));
  return { transcript: appendMessages(rewind(history, 0), messages), written: new Set(written) };
}

const categories = [
  'system prompt',
  'tool schemas',
  'system messages',
  'user',
  'assistant text',
  'reasoning',
  'tool calls',
  'tool results',
  'images and files',
  'other',
  'summary',
  'around messages',
] as const;

type Category = (typeof categories)[number];

interface Weight {
  readonly count: number;
  readonly tokens: number;
}

/** What each kind of content cost before and costs now. Rows where there was nothing and is nothing are left out. */
export function compareWeights(before: WeighedView, after: WeighedView): CategoryChange[] {
  const weightsBefore = weigh(before);
  const weightsAfter = weigh(after);
  return categories.flatMap((category) => {
    const old = weightsBefore.get(category) ?? nothing;
    const now = weightsAfter.get(category) ?? nothing;
    if (old.count === 0 && now.count === 0) return [];
    return [
      {
        category,
        count: { before: old.count, after: now.count },
        tokens: { before: Math.round(old.tokens), after: Math.round(now.tokens) },
      },
    ];
  });
}

const nothing: Weight = { count: 0, tokens: 0 };

function weigh({ transcript, written }: WeighedView): ReadonlyMap<Category, Weight> {
  const { conversation, systemTokens, toolsTokens } = transcript;
  const weights = new Map<Category, Weight>();
  const add = (category: Category, tokens: number, count = 1): void => {
    const known = weights.get(category) ?? nothing;
    weights.set(category, { count: known.count + count, tokens: known.tokens + tokens });
  };
  if (systemTokens > 0) add('system prompt', systemTokens);
  if (toolsTokens > 0) add('tool schemas', toolsTokens);
  let position = 0;
  for (const entry of conversation.entries) {
    // What the provider has compacted itself is sent, but costs nothing.
    const size = position < conversation.barrierAt ? undefined : conversation.sizes.at(position);
    if (size && written.has(position) && !isRepair(entry)) add('summary', size.tokens);
    else if (size) {
      let rest = size.tokens;
      for (const [index, part] of entry.parts.entries()) {
        const tokens = size.parts[index] ?? 0;
        rest -= tokens;
        add(part.type === 'text' ? textCategories[entry.role] : partCategories[part.type], tokens);
      }
      if (rest > 0) add('around messages', rest);
    }
    position += 1;
  }
  return weights;
}

/** An error result in the place of a missing one is no part of the summary. */
function isRepair({ parts }: Entry): boolean {
  return parts.some(({ type }) => type === 'result' || type === 'call');
}

const textCategories = {
  system: 'system messages',
  user: 'user',
  assistant: 'assistant text',
  tool: 'tool results',
} as const satisfies Record<string, Category>;

const partCategories = {
  reasoning: 'reasoning',
  call: 'tool calls',
  result: 'tool results',
  media: 'images and files',
  opaque: 'other',
} as const satisfies Record<string, Category>;

/** A view of a history, as its messages. */
export interface ShownView {
  readonly rendered: Rendered<unknown>;
  readonly state: ContextState;
}

/** A view as it would be sent: what the format would refuse is repaired. */
export function showView(transcript: Transcript, view: View, state: ContextState): ShownView {
  return { rendered: renderView(transcript, view, { ending: 'send' }), state };
}

/** The messages of a view as they were read: nothing is added, dropped, moved or mended for a format. */
export function showUnrepaired(transcript: Transcript, view: View, state: ContextState): ShownView {
  const { rendered } = showView(transcript, view, state);
  const edited = new Map(
    rendered.messages.flatMap((one) => (one.ordinal === undefined ? [] : [[one.ordinal, one] as const])),
  );
  const messages = view.items.slice().flatMap((item): readonly RenderedMessage<unknown>[] => {
    if (item.type === 'synthetic') {
      const { messages: composed } = transcript.codec.compose(item.item);
      return composed.map((message) => ({ source: 'written', isEdited: true, message }));
    }
    const { ordinal } = item.entry;
    if (item.changes.length === 0)
      return [{ source: 'entry', ordinal, isEdited: false, message: givenMessage(item.entry) }];
    return [edited.get(ordinal) ?? []].flat();
  });
  return { rendered: { messages, repairs: [] }, state };
}
