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
    execute: async ({ id, from = 0, query }, { session }) => {
      if (!session.recall) return { content: 'This session has no archive.', isError: true };
      return id === undefined
        ? await search(session.recall, query ?? '')
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

async function search(source: RecallSource, query: string): Promise<ToolReply> {
  const whole = await source.search(query, maxHits);
  const hits = whole.length > 0 ? whole : await searchWords(source, query);
  if (hits.length === 0) return 'Nothing found.';
  const lines = hits.map(({ id, role, excerpt, missing = [] }) => {
    const lacking = missing.length === 0 ? '' : ` [without ${missing.join(', ')}]`;
    return `${id}${role === undefined ? '' : ` (${role})`}: ${excerpt}${lacking}`;
  });
  return lines.join('\n');
}

// The newest hits of each word: a word with more of them says little.
const hitsOfWord = 100;

/** Models search with the words they expect; a store finds a text as it stands. Best first, the newest of equal ones. */
async function searchWords(source: RecallSource, query: string): Promise<readonly RecallHit[]> {
  const words = wordsOf(query);
  if (words.length < 2) return [];
  const found = new Map<string, readonly RecallHit[]>();
  for (const word of words) found.set(word, await source.search(word, hitsOfWord));
  const holders = new Map([...found].map(([word, hits]) => [word, new Set(hits.map(({ id }) => id))]));
  const ids = [...new Set([...found.values()].flat().map(({ id }) => id))];
  const newestFirst = ids.toSorted((a, b) => ordinalOf(b) - ordinalOf(a));
  return bestByWords(holders, newestFirst)
    .slice(0, maxHits)
    .flatMap(({ entry: id, held: [rarest = ''], missing }) => {
      const hit = found.get(rarest)?.find((one) => one.id === id);
      return hit ? [{ ...hit, missing }] : [];
    });
}

function ordinalOf(id: string): number {
  return Number(/^m(\d+)/.exec(id)?.[1] ?? 0);
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
