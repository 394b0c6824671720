import { oneLine } from '../text/cut-text.ts';
import { membersOf, toolWords } from './calls.ts';
import { isFailedCall } from './failures.ts';
import { callInputValue, entryText, plainResultText } from '../transcript/entry-text.ts';
import type { CallPart, Entry, ResultPart } from '../transcript/entry.ts';
import type { ProvenState } from '../transcript/summary.ts';

/** A todo list: what is open, and how much of it is done. */
interface TodoList {
  readonly open: readonly string[];
  readonly doneCount: number;
}

const mostTodos = 50;
const mostCharacters = 300;
// `search_todo_comments` finds words in files.
const searching = new Set('search grep find scan comment comments'.split(' '));
const planTools = new Set(['updateplan', 'setplan', 'writeplan', 'updatetasks', 'tasklist', 'writetasks']);
const listKeys = ['todos', 'plan', 'items', 'tasks', 'steps', 'todolist', 'todo_list', 'todoList', 'list'];
const textKeys = ['content', 'step', 'text', 'title', 'subject', 'description', 'task', 'name'];
const doneWords = new Set([
  'completed',
  'complete',
  'done',
  'cancelled',
  'canceled',
  'finished',
  'closed',
  'deleted',
]);
const activeWords = new Set(['in_progress', 'in-progress', 'inprogress', 'active', 'doing']);

/** Whether a tool keeps a todo list or plan, by its name. */
export function isTodoTool(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  if (planTools.has(plain)) return true;
  return plain.includes('todo') && !toolWords(name).some((word) => searching.has(word));
}

/** The list after a call of a todo tool; `undefined` for every other call. */
export function todoListOf(
  call: CallPart,
  result: ResultPart | undefined,
  known: ProvenState['todos'],
): TodoList | undefined {
  const plain = call.name.toLowerCase().replace(/[^a-z]/g, '');
  if (plain === 'taskcreate' || plain === 'taskupdate') return afterTask(call, result, known);
  if (!isTodoTool(call.name) || (result && isFailedCall(call, result))) return undefined;
  const input = callInputValue(call);
  const list = listOf(input);
  if (list) return listed(list.map(itemOf));
  const text = Object.values(membersOf(input)).find(
    (value) => typeof value === 'string' && value.includes('['),
  );
  // Some tools take one item at a time and answer with the list.
  return checklist(typeof text === 'string' ? text : result ? plainResultText(result) : '');
}

/** Tools that keep one task at a time (`TaskCreate`, `TaskUpdate`): each stands behind its number. */
function afterTask(
  call: CallPart,
  result: ResultPart | undefined,
  known: ProvenState['todos'],
): TodoList | undefined {
  const input = membersOf(callInputValue(call));
  if (!result || result.isError) return undefined;
  const { open = [], doneCount = 0 } = known ?? {};
  const subject = input['subject'];
  if (typeof subject === 'string' && input['taskId'] === undefined) {
    const number = /#(\d+)/.exec(plainResultText(result))?.[1] ?? `${open.length + doneCount + 1}`;
    return bounded([...open, `#${number} ${oneLine(subject, mostCharacters)}`], doneCount);
  }
  const mark = `#${String(input['taskId'])} `;
  const found = open.find((item) => item.replace(/^\(in progress\) /, '').startsWith(mark));
  if (found === undefined) return undefined;
  const status = statusOf(input['status']);
  if (doneWords.has(status))
    return bounded(
      open.filter((item) => item !== found),
      doneCount + 1,
    );
  const plain = found.replace(/^\(in progress\) /, '');
  return bounded(
    open.map((item) =>
      item === found ? (activeWords.has(status) ? `(in progress) ${plain}` : plain) : item,
    ),
    doneCount,
  );
}

interface Item {
  readonly text: string;
  readonly state: 'open' | 'active' | 'done';
}

function listed(items: readonly (Item | undefined)[]): TodoList {
  const known = items.filter((item) => item !== undefined);
  const open = known.filter(({ state }) => state !== 'done');
  return bounded(
    open.map(({ text, state }) => (state === 'active' ? `(in progress) ${text}` : text)),
    known.length - open.length,
  );
}

function bounded(open: readonly string[], doneCount: number): TodoList {
  const shown =
    open.length <= mostTodos
      ? open
      : [...open.slice(0, mostTodos - 1), `(and ${open.length - mostTodos + 1} more)`];
  return { open: shown, doneCount };
}

function listOf(input: unknown): readonly unknown[] | undefined {
  if (Array.isArray(input)) return input;
  const members = membersOf(input);
  return listKeys.map((key) => members[key]).find((value) => Array.isArray(value));
}

function itemOf(item: unknown): Item | undefined {
  const members = membersOf(item);
  const texts = typeof item === 'string' ? [item] : textKeys.map((key) => members[key]);
  const text = texts.find((value) => typeof value === 'string');
  if (text === undefined || text.trim() === '') return undefined;
  const status = statusOf(members['status'] ?? members['state']);
  const isDone = doneWords.has(status) || members['completed'] === true || members['done'] === true;
  return {
    text: oneLine(text, mostCharacters),
    state: isDone ? 'done' : activeWords.has(status) ? 'active' : 'open',
  };
}

function statusOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

const checkItem = /^\s{0,12}(?:[-*+]|\d{1,4}[.)]) \[([ xX~>\-/✓✔])\] (.{1,2000})$/u;

const hasCheckItem = /^\s{0,12}(?:[-*+]|\d{1,4}[.)]) \[[ xX~>\-/✓✔]\] /mu;

/** The lines of a text that are items of a markdown checklist. */
function checkLines(text: string): string[] {
  // Few texts hold what ends the mark: that is found ten times faster than an item.
  if (!text.includes('] ') || !hasCheckItem.test(text)) return [];
  return text.split('\n').filter((line) => line.length <= 2_100 && checkItem.test(line));
}

/** The items of a markdown checklist; `undefined` when the text has none at all. */
function checklist(text: string): TodoList | undefined {
  const items = checkLines(text).map((line): Item => {
    const [, mark = '', item = ''] = checkItem.exec(line) ?? [];
    const state = mark === ' ' ? 'open' : '~>-/'.includes(mark) ? 'active' : 'done';
    return { text: oneLine(item, mostCharacters), state };
  });
  return items.length === 0 ? undefined : listed(items);
}

const itemCharacters = 200;

/** The checklist that an assistant states; what results show is noted on the way. */
export function writtenList(
  entry: Entry,
  shown: Set<string>,
  todos: ProvenState['todos'],
): TodoList | undefined {
  for (const part of entry.parts)
    if (part.type === 'result') for (const line of checkLines(plainResultText(part))) noteShown(shown, line);
  const said = entry.role === 'assistant' ? withoutFences(entryText(entry)) : '';
  return isQuoted(checkLines(said), shown, todos) ? undefined : checklist(said);
}

function noteShown(shown: Set<string>, line: string): void {
  const item = shownAs(line);
  shown.delete(item);
  shown.add(item);
}

function shownAs(line: string): string {
  return line.trim().slice(0, itemCharacters);
}

/** Whether a checklist only repeats what was shown; not where it is the known one as it stands now: all that was open is in it. */
function isQuoted(
  lines: readonly string[],
  shown: ReadonlySet<string>,
  todos: ProvenState['todos'],
): boolean {
  if (!lines.every((line) => shown.has(shownAs(line)))) return false;
  if (!todos || todos.open.length === 0) return true;
  const texts = todos.open.map((item) => ` ${item.replace(/^\(in progress\) /, '')}`);
  return !texts.every((text) => lines.some((line) => line.trimEnd().endsWith(text)));
}

/** A text without its code blocks: what stands in them is quoted. */
function withoutFences(text: string): string {
  if (!/^\s{0,12}(?:```|~~~)/m.test(text)) return text;
  let fence = '';
  const lines = text.split('\n').filter((line) => {
    const mark = /^\s{0,12}(```|~~~)/.exec(line)?.[1] ?? '';
    if (fence === '') return (fence = mark) === '';
    if (mark === fence) fence = '';
    return false;
  });
  return lines.join('\n');
}
