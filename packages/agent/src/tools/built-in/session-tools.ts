import { bestByWords, parsePlaceholder, wordsOf } from '@throughline/core/internal';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import type { RecallHit, RecallSource, Todo, TodoStore, Tool, ToolReply } from '../tool.ts';

const pageChars = 20_000;
const maxHits = 20;

const recallInput = z
  .strictObject({
    id: z.string().min(1).max(1_000).optional().describe('Such as m12.3'),
    from: z.int().min(0).optional().describe('First character'),
    query: z.string().min(1).max(1_000).optional(),
  })
  .refine(({ id, query }) => (id === undefined) !== (query === undefined), 'expected either id or query');

/** `recall`: what is no longer in view, by its id or by its text. Needs no model. */
export function createRecallTool(): Tool {
  return defineTool({
    name: 'recall',
    description:
      'Returns what was taken out of view: by the id that a placeholder or a summary names, or by a text to search for.',
    input: recallInput,
    reads: () => [],
    takesPlaceholders: true,
    execute: async ({ id, from = 0, query }, { session, signal }) => {
      if (!session.recall) return { content: 'This session has no archive.', isError: true };
      return id === undefined
        ? await search(session.recall, query ?? '', signal)
        : await get(session.recall, id, from);
    },
  });
}

/** A whole placeholder instead of its id is understood. */
async function get(source: RecallSource, asked: string, from: number): Promise<ToolReply> {
  const id = parsePlaceholder(asked)?.recallId ?? asked.trim().replace(/^"(.*)"$/, '$1');
  const found = await source.get(id);
  if (!found)
    return {
      content: `There is nothing with the id ${JSON.stringify(id)}. Search with query.`,
      isError: true,
    };
  const { text } = found;
  if (from > 0 && from >= text.length) {
    return { content: `${id} has ${text.length} characters; there is none at ${from}.`, isError: true };
  }
  const end = endOfPage(text, from);
  if (from === 0 && end === text.length) return text === '' ? `(${id} is empty)` : text;
  const more = end < text.length ? `; go on with from ${end}` : '';
  return `${text.slice(from, end)}\n[characters ${from}–${end} of ${text.length}${more}]`;
}

/** Between two code points, so that the pieces together are the text. */
function endOfPage(text: string, from: number): number {
  const end = Math.min(text.length, from + pageChars);
  const code = text.charCodeAt(end);
  return code >= 0xdc00 && code <= 0xdfff && end < text.length ? end - 1 : end;
}

async function search(source: RecallSource, query: string, signal: AbortSignal): Promise<ToolReply> {
  const whole = await withoutSearches(source, await source.search(query, maxHits * 2));
  const hits =
    whole.length > 0
      ? whole.slice(0, maxHits).map((hit) => ({ ...hit, missing: [] }))
      : await searchWords(source, query, signal);
  if (hits.length === 0) return 'Nothing found.';
  const lines = hits.map(({ id, role, excerpt, missing }) => {
    const lacking = missing.length === 0 ? '' : ` [without ${missing.join(', ')}]`;
    return `${id}${role === undefined ? '' : ` (${role})`}: ${excerpt}${lacking}`;
  });
  return lines.join('\n');
}

// As a search is stored, and as it is answered above.
const asSearch = /^recall \{|^[mo]\d+(?:\.\d+)? \((?:system|user|assistant|tool)\): /;

/** A search stands in the history before it is answered, and so do those before it: they hold the words of the query. */
async function withoutSearches(
  source: RecallSource,
  hits: readonly RecallHit[],
): Promise<readonly RecallHit[]> {
  const areSearches = await Promise.all(
    hits.map(async ({ id, role }) => {
      // Whole outputs are long, and what the user says is no search.
      if (role === 'user' || role === 'system' || id.startsWith('o')) return false;
      return asSearch.test((await source.get(id))?.text ?? '');
    }),
  );
  return hits.filter((_, at) => areSearches[at] !== true);
}

// Each word is a search of its own.
const mostWords = 8;
// Of each word the newest: a word with more hits says little.
const hitsOfWord = 100;

/**
 * Models search with the words they expect; a store finds a text as it stands. The messages among the newest 100 hits of
 * each word that hold most of what is rare in the query, best first; of more than 8 words the longest are searched for.
 */
async function searchWords(
  source: RecallSource,
  query: string,
  signal: AbortSignal,
): Promise<readonly (RecallHit & { readonly missing: readonly string[] })[]> {
  const words = wordsOf(query, mostWords);
  const hits = new Map<string, ReadonlyMap<string, RecallHit>>();
  for (const word of words) {
    signal.throwIfAborted();
    const found = await source.search(word, hitsOfWord);
    hits.set(word, byMessage(await withoutSearches(source, found)));
  }
  const rarestFirst = [...hits.values()].toSorted((a, b) => a.size - b.size);
  const messages = [...new Set(rarestFirst.flatMap((found) => [...found.keys()]))];
  const holders = new Map([...hits].map(([word, found]) => [word, new Set(found.keys())]));
  const best = bestByWords(holders, messages).slice(0, maxHits);
  const shown = best.map(async ({ place, held: [rarest = ''], missing }) => {
    const hit = hits.get(rarest)?.get(place);
    // A message beyond the newest hits of a word may hold it all the same.
    const text = missing.length === 0 ? '' : ((await source.get(place))?.text.toLowerCase() ?? '');
    return hit ? [{ ...hit, missing: missing.filter((word) => !text.includes(word)) }] : [];
  });
  return (await Promise.all(shown)).flat();
}

/** The first hit in each message, by the message's id: a hit may be in a part of one. */
function byMessage(hits: readonly RecallHit[]): ReadonlyMap<string, RecallHit> {
  const found = new Map<string, RecallHit>();
  for (const hit of hits) {
    const message = hit.id.replace(/\.\d+$/, '');
    if (!found.has(message)) found.set(message, hit);
  }
  return found;
}

const todoInput = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: z.string().min(1).max(500),
        status: z.enum(['pending', 'in_progress', 'completed']),
      }),
    )
    .max(100)
    .optional(),
});

const marks = { pending: ' ', in_progress: '>', completed: 'x' } as const satisfies Record<
  Todo['status'],
  string
>;

/** `todo`: the session's list, replaced or shown; always answered whole. */
export function createTodoTool(): Tool {
  return defineTool({
    name: 'todo',
    description:
      'The list of what is to be done: send the whole list to replace it, nothing to see it. Keep it up to date.',
    input: todoInput,
    approval: 'allow',
    idempotent: true,
    writes: () => ['todo:'],
    execute: async ({ todos }, { session }) => {
      if (!session.todos) return { content: 'This session keeps no todo list.', isError: true };
      return await update(session.todos, todos);
    },
  });
}

async function update(store: TodoStore, todos: readonly Todo[] | undefined): Promise<ToolReply> {
  if (todos) await store.save(todos);
  const list = todos ?? (await store.load());
  const lines = list.map(({ content, status }) => `[${marks[status]}] ${content}`);
  return {
    content: lines.length === 0 ? 'The list is empty.' : lines.join('\n'),
    data: list.map(({ content, status }) => ({ content, status })),
  };
}
