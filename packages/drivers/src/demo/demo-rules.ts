import { measureEntry, scriptAwareEstimator } from '@throughline/core';
import { countTools, countValue, defaultMediaPricing } from '@throughline/core/internal';
import type { Codec, Entry } from '@throughline/core';
import type { Json } from '@throughline/core/codec';
import type { Meter } from '@throughline/core/internal';
import type { ModelFinish, StepRequest } from '@throughline/ports';

/** What the demo model reads in a request, whatever its format. */
export interface DemoRequest {
  /** What the user said last. */
  readonly said: string;
  /** Steps taken since. */
  readonly step: number;
  /** What the model said in its last step since. */
  readonly lastWords: string;
  /** Results of the last step, in their order. */
  readonly results: readonly DemoResult[];
  readonly tools: ReadonlySet<string>;
  readonly promptTokens: number;
}

interface DemoResult {
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

const estimator = scriptAwareEstimator;
const meter: Meter = { estimator, media: defaultMediaPricing };

export function readDemoRequest(request: StepRequest, codec: Codec): DemoRequest {
  const entries = request.messages.map((message, index) => codec.decode(message, index));
  const asked = entries.findLastIndex((entry) => isSaidByUser(entry));
  const since = entries.slice(asked + 1);
  const asking = entries[asked];
  const { tools = [] } = request;
  return {
    said: asking ? textOf(asking) : '',
    step: stepsIn(since),
    lastWords:
      since
        .filter(({ role }) => role === 'assistant')
        .map(textOf)
        .findLast((text) => text !== '') ?? '',
    results: lastResults(since),
    tools: new Set(request.toolChoice === 'none' ? [] : tools.map(({ name }) => name)),
    promptTokens: countPrompt(request, entries),
  };
}

/** What stands in brackets is a note of a program. */
function isSaidByUser(entry: Entry): boolean {
  const text = textOf(entry);
  return entry.role === 'user' && text !== '' && !(text.startsWith('[') && text.endsWith(']'));
}

function textOf({ parts }: Entry): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}

/** In some formats a response is several messages: what counts is how often results came after calls. */
function stepsIn(entries: readonly Entry[]): number {
  const hasCall = entries.map(({ parts }) => parts.some(({ type }) => type === 'call'));
  return hasCall.filter((calls, index) => calls && hasCall[index + 1] !== true).length;
}

function lastResults(entries: readonly Entry[]): readonly DemoResult[] {
  const names = new Map<string, string>();
  for (const { parts } of entries) {
    for (const part of parts) if (part.type === 'call') names.set(part.callId, part.name);
  }
  const lastCall = entries.findLastIndex(({ parts }) => parts.some(({ type }) => type === 'call'));
  return entries.slice(lastCall + 1).flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== 'result') return [];
      const text = part.pieces.map((piece) => (piece.type === 'text' ? piece.text : `[${piece.type}]`));
      const name = part.name ?? names.get(part.callId) ?? 'tool';
      return [{ name, text: text.join('\n'), isError: part.isError }];
    }),
  );
}

function countPrompt({ system, tools = [] }: StepRequest, entries: readonly Entry[]): number {
  const messages = entries.reduce((sum, entry) => sum + measureEntry(entry, meter).tokens, 0);
  const rest = countTools(tools, estimator) + (system === undefined ? 0 : countValue(system, estimator));
  return Math.ceil(messages + rest);
}

/** Tokens of an answer. */
export function countAnswer(text: string): number {
  return text === '' ? 0 : Math.ceil(estimator.count(text));
}

/** What the demo model does when the user says something; `undefined` when it has done it: then it tells the results. */
interface DemoRule {
  readonly says: RegExp;
  readonly next: (found: RegExpExecArray, request: DemoRequest) => DemoTurn | undefined;
}

/** A rule of one step. */
const once =
  (turn: (found: RegExpExecArray) => DemoTurn): DemoRule['next'] =>
  (found, { step }) =>
    step === 0 ? turn(found) : undefined;

const call = (name: string, input: DemoCall['input'], reasoning: string, text: string): DemoTurn => ({
  reasoning,
  text,
  calls: [{ name, input }],
});

const path = String.raw`[\x60"']?([\w@.][\w@./-]*)[\x60"']?`;
const mostWords = 20_000;

const rules: readonly DemoRule[] = [
  {
    says: new RegExp(String.raw`\bwrite\s+["'](.{1,2000}?)["']\s+(?:in)?to\s+${path}`, 'is'),
    next: once(([, content = '', file = '']) =>
      call(
        'write',
        { path: file, content: `${content}\n` },
        'A file is to be written.',
        `I write \`${file}\`.`,
      ),
    ),
  },
  {
    says: /\bwork\s+for\s+(\d{1,3})\s+steps\b/i,
    next: ([, count = '1'], request) => work(Number(count), request),
  },
  {
    says: /\b(?:run|execute)\s+[`"']?(.{1,2000}?)[`"']?\s*$/i,
    next: once(([, command = '']) =>
      call('bash', { command }, 'That wants a shell.', `I run \`${command}\`.`),
    ),
  },
  {
    says: /\b(?:search|grep|look)\s+for\s+[`"']?(.{1,200}?)[`"']?\s*$/i,
    next: once(([, text = '']) =>
      call(
        'grep',
        { pattern: text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`) },
        'I look for the text, not for a pattern.',
        `I search for “${text}”.`,
      ),
    ),
  },
  { says: /\bexplore\b/i, next: (_, request) => explore(request) },
  {
    says: new RegExp(String.raw`\b(?:read|open|cat)\s+(?:the\s+)?(?:file\s+)?${path}`, 'i'),
    next: once(([, file = '']) => call('read', { path: file }, 'One file is enough.', `I read \`${file}\`.`)),
  },
  {
    says: /\b(?:list|show|which|what)\b.{0,40}\bfiles\b|^\s*ls\b/i,
    next: once(() =>
      call('glob', { pattern: '**/*' }, 'The user wants to see what is there.', 'I list the files.'),
    ),
  },
  { says: /\b(?:todo|plan)\b/i, next: once(() => plan()) },
  {
    says: /\b(\d{1,6})\s+words\b/i,
    next: once(([, count = '0']) => ({ text: words(Math.min(Number(count), mostWords)) })),
  },
];

function explore({ step, results }: DemoRequest): DemoTurn | undefined {
  if (step === 1) return readFiles(results);
  if (step > 1) return undefined;
  return {
    reasoning: 'First an overview: the files, and what stands at the top.',
    text: 'I look around.',
    calls: [
      { name: 'glob', input: { pattern: '**/*' } },
      { name: 'bash', input: { command: 'ls -la' } },
    ],
  };
}

/**
 * Many steps with long results: what fills a window. Where it stands it reads off its own last words, so that it goes on
 * where it was when older steps were compacted. Where the folder has little to read it writes long lists: a window is
 * filled everywhere.
 */
function work(count: number, { lastWords, results, tools }: DemoRequest): DemoTurn | undefined {
  const done = Number(/\bStep (\d{1,3}) of/.exec(lastWords)?.[1] ?? 0);
  if (done >= count) return undefined;
  const letter = String.fromCodePoint(97 + (done % 26));
  const step = `Step ${done + 1} of ${count}`;
  const readChars = results.reduce((sum, { text }) => sum + text.length, 0);
  if (done > 0 && readChars < fewChars && tools.has('todo')) return writeList(step);
  const text = `${step}: I search for “${letter}”.`;
  return call('grep', { pattern: letter }, 'Every step reads something else.', text);
}

const fewChars = 1_000;

function writeList(step: string): DemoTurn {
  const todos = Array.from({ length: 40 }, (_, index) => ({
    content: `${step}, number ${index + 1}: ${sentence.join(' ')}`,
    status: 'pending',
  }));
  return call('todo', { todos }, 'There is little to read here.', `${step}: I write a long list.`);
}

function plan(): DemoTurn {
  const items = ['Look around', 'Make the change', 'Check it'];
  const todos = items.map((content, index) => ({ content, status: index === 0 ? 'in_progress' : 'pending' }));
  return call('todo', { todos }, 'A list helps.', 'I make a plan.');
}

const about =
  'This is the demo model of Throughline: it follows a script and understands a few phrases only. ' +
  'Say “list files”, “read README.md”, “search for TODO”, “run ls -la”, “write "hello" to hello.txt”, ' +
  '“make a plan”, “explore”, “work for 30 steps” or “tell me 500 words”; the tools it calls are real.';

/** The next step of the demo model: a function of the request alone. */
export function nextDemoTurn(request: DemoRequest): DemoTurn {
  for (const { says, next } of rules) {
    const found = says.exec(request.said);
    if (!found) continue;
    const turn = next(found, request);
    return turn ? offered(turn, request) : { text: tellResults(request.results) };
  }
  return { text: about };
}

/** Only calls of tools that are there. */
function offered(turn: DemoTurn, { tools }: DemoRequest): DemoTurn {
  const { calls = [], ...rest } = turn;
  const missing = calls.filter(({ name }) => !tools.has(name)).map(({ name }) => `\`${name}\``);
  const kept = calls.filter(({ name }) => tools.has(name));
  if (missing.length === 0) return turn;
  const note = `(demo) I would call ${missing.join(' and ')}, but was not offered it.`;
  return { ...rest, text: `${rest.text ?? ''} ${note}`.trim(), ...(kept.length > 0 && { calls: kept }) };
}

/** The first files of a list, side by side. */
function readFiles(results: readonly DemoResult[]): DemoTurn | undefined {
  const list = results.find(({ name, isError }) => name === 'glob' && !isError)?.text ?? '';
  const files = list.split('\n').filter((line) => /^[\w@./-]+\.\w+$/.test(line));
  if (files.length === 0) return undefined;
  const calls = files.slice(0, 2).map((file) => ({ name: 'read', input: { path: file } }));
  return { reasoning: 'Now the first of them.', text: 'I read the first files.', calls };
}

const shownLines = 5;
const shownChars = 400;

function tellResults(results: readonly DemoResult[]): string {
  const told = results.map(({ name, text, isError }) => {
    const lines = text.split('\n');
    const start = lines.slice(0, shownLines).join('\n').slice(0, shownChars);
    const outcome = isError
      ? 'failed'
      : `answered with ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`;
    return `\`${name}\` ${outcome}:\n\n\`\`\`\n${start}\n\`\`\``;
  });
  return `(demo) ${told.length === 0 ? 'There is nothing to tell.' : told.join('\n\n')}`;
}

const sentence = 'the demo model tells a story without an end and counts its words while it goes on'.split(
  ' ',
);

function words(count: number): string {
  const chosen = Array.from({ length: count }, (_, index) => sentence[index % sentence.length]);
  return `(demo) ${chosen.join(' ')}`;
}

/** What the demo model does in one step. */
export interface DemoTurn {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly DemoCall[];
  /** @default 'tool-calls' where there are calls, else 'stop' */
  readonly finish?: ModelFinish;
  /** The step fails, with what a server would say, after what was said. */
  readonly failure?: { readonly status?: number; readonly message: string };
}

/** A call that the demo model makes. */
export interface DemoCall {
  readonly name: string;
  readonly input: { readonly [key: string]: Json };
}
