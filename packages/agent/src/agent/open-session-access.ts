import { readFile, rm } from 'node:fs/promises';
import type { Json } from '@throughline/core';
import type { SessionStore } from '@throughline/ports';
import type { BatchWriter } from '../stream/batch-writer.ts';
import type { SessionAccess, Todo, WholeOutput } from '../tools/tool.ts';

const todosName = 'todos';
const statuses: ReadonlySet<unknown> = new Set(['pending', 'in_progress', 'completed']);

/** What the tools of one run may use of its session. */
export function openSessionAccess(
  { store, sessionId }: { readonly store: SessionStore; readonly sessionId: string },
  writer: BatchWriter,
): SessionAccess {
  return {
    todos: {
      load: async () => readTodos(await store.value(sessionId, todosName)),
      save: async (todos) => {
        const value = todos.map(({ content, status }) => ({ content, status }));
        await writer.commit({ type: 'value', name: todosName, value });
      },
    },
    recall: {
      get: (id) => store.history.recall(sessionId, id),
      search: (query, limit) => store.history.search(sessionId, query, limit),
    },
    outputs: {
      keep: async (callId, output) =>
        await store.attachments.keepOutput(sessionId, callId, await textOf(output)),
    },
  };
}

async function textOf(output: WholeOutput): Promise<string> {
  if (output.type === 'text') return output.text;
  const text = await readFile(output.path, 'utf8');
  await rm(output.path, { force: true });
  return text;
}

function readTodos(value: Json): readonly Todo[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isTodo);
}

function isTodo(value: unknown): value is Todo {
  const { content, status } = (value ?? {}) as Partial<Todo>;
  return typeof content === 'string' && statuses.has(status);
}
