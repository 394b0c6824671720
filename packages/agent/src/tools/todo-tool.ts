import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import type { Todo, TodoStore } from './session-access.ts';
import type { Tool, ToolReply } from './tool.ts';

const input = z.strictObject({
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
    input,
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
