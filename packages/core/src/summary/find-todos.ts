import { callInputValue, entryText, pairResults, resultText } from '../transcript/entry-text.ts';
import { oneLine } from './cut-text.ts';
import { remembered } from './remembered.ts';
import type { CallPart, Entry } from '../transcript/entry.ts';

const maxTodos = 50;
const maxTodoChars = 300;
const planTools = new Set(['updateplan', 'setplan', 'writeplan', 'updatetasks', 'tasklist', 'writetasks']);
const listKeys = ['todos', 'plan', 'items', 'tasks', 'steps', 'todolist', 'todo_list', 'todoList', 'list'];
const textKeys = ['content', 'step', 'text', 'title', 'subject', 'description', 'task', 'name'];
const doneWords = new Set(['completed', 'complete', 'done', 'cancelled', 'canceled', 'finished', 'closed']);
const activeWords = new Set(['in_progress', 'in-progress', 'inprogress', 'active', 'doing']);

/**
 * The open todos as they were last written down: by a todo or plan tool, or as a checklist in the newest assistant
 * text. Empty when all are done; `undefined` when there is no list at all.
 */
export function findTodos(entries: readonly Entry[]): string[] | undefined {
  let isNewestText = true;
  let answers: ReadonlyMap<CallPart, string> | undefined;
  const answerOf = (call: CallPart): string => {
    answers ??= todoAnswers(entries);
    return answers.get(call) ?? '';
  };
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at] as Entry;
    for (let index = entry.parts.length - 1; index >= 0; index -= 1) {
      const part = entry.parts[index];
      const todos = part?.type === 'call' && isTodoTool(part.name) ? todosOfCall(part, answerOf) : undefined;
      if (todos !== undefined) return todos;
    }
    if (entry.role !== 'assistant' || !isNewestText) continue;
    const text = entryText(entry);
    const todos = checklist(text);
    if (todos !== undefined) return todos;
    if (text.trim() !== '') isNewestText = false;
  }
  return undefined;
}

/** Whether a tool keeps a todo list or plan, by its name. */
export const isTodoTool: (name: string) => boolean = remembered((name) => {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  return plain.includes('todo') || planTools.has(plain);
});

function todosOfCall(call: CallPart, answerOf: (call: CallPart) => string): string[] | undefined {
  const input = callInputValue(call);
  const list = listOf(input);
  if (list !== undefined) return openItems(list);
  const text = Object.values(asRecord(input) ?? {}).find(
    (value) => typeof value === 'string' && value.includes('['),
  );
  if (typeof text === 'string') return checklist(text);
  // Some tools take one item at a time and answer with the list.
  return checklist(answerOf(call));
}

function todoAnswers(entries: readonly Entry[]): ReadonlyMap<CallPart, string> {
  const answers = new Map<CallPart, string>();
  for (const { call, part } of pairResults(entries)) {
    if (call !== undefined && isTodoTool(call.name)) answers.set(call, resultText(part));
  }
  return answers;
}

function listOf(input: unknown): readonly unknown[] | undefined {
  if (Array.isArray(input)) return input;
  const record = asRecord(input);
  const lists = listKeys.map((key) => record?.[key]).filter((value) => Array.isArray(value));
  return lists[0];
}

function openItems(list: readonly unknown[]): string[] {
  const open: string[] = [];
  for (const item of list) {
    const record = asRecord(item);
    const text =
      record === undefined
        ? item
        : textKeys.map((key) => record[key]).find((value) => typeof value === 'string');
    if (typeof text !== 'string' || text.trim() === '') continue;
    const status = statusOf(record?.['status'] ?? record?.['state']);
    if (doneWords.has(status) || record?.['completed'] === true || record?.['done'] === true) continue;
    open.push(`${activeWords.has(status) ? '(in progress) ' : ''}${oneLine(text, maxTodoChars)}`);
  }
  return bounded(open);
}

function statusOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

function asRecord(value: unknown): { readonly [key: string]: unknown } | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as { readonly [key: string]: unknown };
}

const checkItem = /^\s{0,12}(?:[-*+]|\d{1,4}[.)]) \[([ xX~>\-/✓✔])\] (.{1,2000})$/u;

/** The open items of a markdown checklist; `undefined` when the text has none at all. */
export function checklist(text: string): string[] | undefined {
  if (!text.includes('] ')) return undefined;
  const open: string[] = [];
  let items = 0;
  for (const line of text.split('\n')) {
    const match = line.length > 2_100 ? null : checkItem.exec(line);
    if (!match) continue;
    items++;
    const [, mark = '', item = ''] = match;
    if (mark === ' ') open.push(oneLine(item, maxTodoChars));
    if (mark === '~' || mark === '>' || mark === '-' || mark === '/')
      open.push(`(in progress) ${oneLine(item, maxTodoChars)}`);
  }
  return items === 0 ? undefined : bounded(open);
}

function bounded(todos: readonly string[]): string[] {
  if (todos.length <= maxTodos) return [...todos];
  return [...todos.slice(0, maxTodos - 1), `(and ${todos.length - maxTodos + 1} more)`];
}
