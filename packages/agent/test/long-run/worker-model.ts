import type { DemoCall, DemoTurn } from '@throughline/drivers';
import type { StepRequest } from '@throughline/ports';

export interface WorkerModelOptions {
  readonly random: () => number;
  /** Names lines of the journal: no two processes have the same. */
  readonly boot: string;
  /** Says its last word at the next step. */
  readonly isFinishing: () => boolean;
}

const words = 'module error test return value path file function index read write build login cache'.split(
  ' ',
);

/** What a busy agent does next, whatever was asked: long results, effects, mistakes, and now and then an end. */
export function createWorkerModel({
  random,
  boot,
  isFinishing,
}: WorkerModelOptions): (request: StepRequest) => DemoTurn {
  let notes = 0;
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const upTo = (most: number): number => Math.floor(random() * most);
  const say = (count: number): string => Array.from({ length: count }, () => pick(words)).join(' ');
  const note = (): DemoCall => ({
    name: pick(['note', 'note', 'asked-note']),
    input: { line: `line-${boot}-${(notes += 1)}.` },
  });
  const calls: readonly (() => readonly DemoCall[])[] = [
    () => Array.from({ length: 1 + upTo(3) }, note),
    () => [note(), { name: 'bash', input: { command: `seq ${1 + upTo(9)} ${200 + upTo(900)}` } }],
    () => [{ name: 'grep', input: { pattern: pick(['a', 'e', 'module', 'nothing-like-it']) } }],
    () => [
      { name: 'read', input: { path: `file-${upTo(6)}.txt` } },
      { name: 'read', input: { path: `file-${upTo(6)}.txt`, limit: 40 } },
    ],
    () => [
      { name: 'read', input: { path: `file-${upTo(9)}.txt` } },
      note(),
      { name: 'glob', input: { pattern: '**/*' } },
    ],
    () => [{ name: 'write', input: { path: `made-${upTo(4)}.md`, content: `${say(200)}\n` } }],
    () => [{ name: 'todo', input: { todos: [{ content: say(4), status: 'in_progress' }] } }],
    () => [{ name: 'recall', input: random() < 0.5 ? { id: `m${upTo(40)}` } : { query: pick(words) } }],
    () => [{ name: 'no-such-tool', input: { path: 'x' } }],
    () => [{ name: 'read', input: { pfad: 'file-1.txt' } }],
  ];
  return ({ toolChoice }) => {
    const text = `I ${say(3 + upTo(60))}.`;
    if (toolChoice === 'none' || isFinishing() || random() < 0.04) return { text };
    return {
      ...(random() < 0.4 ? { reasoning: `Perhaps ${say(20)}.` } : {}),
      ...(random() < 0.8 ? { text } : {}),
      calls: pick(calls)(),
    };
  };
}
