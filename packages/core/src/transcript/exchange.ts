import { entryText } from './entry-text.ts';
import { injectedKindOf, textOutput } from './own-words.ts';
import { isBlank, isUnloaded } from './entry.ts';
import type { CallId, CallPart, Entry, ResultPart } from './entry.ts';

/**
 * A run of entries that is never split: one system or user message, a model response with all its results, a
 * provider's compaction item, or what stands for messages that were not loaded. The exchanges of a conversation follow each other without a break.
 */
export interface Exchange {
  readonly type: 'system' | 'user' | 'response' | 'barrier' | 'unloaded';
  /** Positions in the conversation, `[first, end)`. */
  readonly first: number;
  readonly end: number;
  /** Client calls of the exchange that have no result yet. */
  readonly openCalls: readonly OpenCall[];
  readonly hasResults: boolean;
  /** The newest entry is only valid together with the one after it. */
  readonly bindsNext: boolean;
}

interface OpenCall {
  readonly callId: string;
  readonly name: string;
  /** Position of the entry and index of the part. */
  readonly entry: number;
  readonly part: number;
}

/** How a format spreads one model response over wire messages. */
export type ResponseShape = 'one' | 'many';

const noCalls: readonly OpenCall[] = [];

function callsOf(entry: Entry): CallPart[] {
  return entry.parts.filter((part) => part.type === 'call' && part.isProviderExecuted !== true) as CallPart[];
}

function resultsOf(entry: Entry): ResultPart[] {
  return entry.parts.filter(
    (part) => part.type === 'result' && part.isProviderExecuted !== true,
  ) as ResultPart[];
}

/** The exchange after `entry` at `position` joined `exchange`, or `undefined` when the entry starts an exchange of its own. */
export function joinExchange(
  exchange: Exchange,
  entry: Entry,
  position: number,
  shape: ResponseShape,
): Exchange | undefined {
  if (exchange.type !== 'response' || isUnloaded(entry)) return undefined;
  const results = resultsOf(entry);
  // Some formats hold call and result in one message: with calls of its own it is a response, not an answer.
  const isResponse = entry.role === 'assistant' && (results.length === 0 || callsOf(entry).length > 0);
  if (isResponse && !continuesResponse(exchange, shape) && !isLostBetween(exchange, entry)) return undefined;
  if (entry.role === 'system') return undefined;
  if (entry.role === 'user' && results.length === 0) return undefined;
  if (isBarrier(entry)) return undefined;
  return {
    ...exchange,
    end: position + 1,
    openCalls: answer(joined(exchange.openCalls, openCallsOf(entry, position)), results),
    hasResults: exchange.hasResults || results.length > 0 || entry.role === 'tool',
    bindsNext: bindsNext(entry),
  };
}

/** Only item formats say one response in several messages: parallel calls, and reasoning with the item it belongs to. */
function continuesResponse(exchange: Exchange, shape: ResponseShape): boolean {
  return exchange.bindsNext || (shape === 'many' && !exchange.hasResults && exchange.openCalls.length > 0);
}

/** A message that says nothing is not sent: a call and the result behind it stay together. */
function isLostBetween({ openCalls }: Exchange, { parts }: Entry): boolean {
  return openCalls.length > 0 && parts.every((part) => part.type === 'reasoning' || isBlank(part));
}

function bindsNext(entry: Entry): boolean {
  return entry.parts.at(-1)?.binding === 'next-item';
}

export function startExchange(entry: Entry, position: number): Exchange {
  const results = resultsOf(entry);
  return {
    type: exchangeTypeOf(entry, results),
    first: position,
    end: position + 1,
    openCalls: answer(openCallsOf(entry, position), results),
    hasResults: entry.role === 'tool' || results.length > 0,
    bindsNext: bindsNext(entry),
  };
}

function exchangeTypeOf(entry: Entry, results: readonly ResultPart[]): Exchange['type'] {
  if (isUnloaded(entry)) return 'unloaded';
  if (isBarrier(entry)) return 'barrier';
  if (entry.role === 'system') return 'system';
  return entry.role === 'user' && results.length === 0 ? 'user' : 'response';
}

function isBarrier(entry: Entry): boolean {
  return entry.parts.some((part) => part.type === 'opaque' && part.isBarrier === true);
}

function openCallsOf(entry: Entry, position: number): readonly OpenCall[] {
  if (entry.role !== 'assistant') return noCalls;
  const calls: OpenCall[] = [];
  for (let index = 0; index < entry.parts.length; index += 1) {
    const part = entry.parts[index];
    if (part?.type !== 'call' || part.isProviderExecuted === true) continue;
    calls.push({ callId: part.callId, name: part.name, entry: position, part: index });
  }
  return calls;
}

function joined(first: readonly OpenCall[], second: readonly OpenCall[]): readonly OpenCall[] {
  return second.length === 0 ? first : [...first, ...second];
}

/** Takes the answered calls away. Real logs repeat ids: each result answers the nearest earlier call that is open. */
function answer(open: readonly OpenCall[], results: readonly ResultPart[]): readonly OpenCall[] {
  if (results.length === 0) return open;
  const left = [...open];
  for (const { callId } of results) {
    const index = left.findLastIndex((call) => call.callId === callId);
    if (index >= 0) left.splice(index, 1);
  }
  return left.length === 0 ? noCalls : left;
}

/** Each result by its call: real logs repeat ids, so the nearest earlier call counts. */
export function answersOf(entries: readonly Entry[]): Map<CallPart, ResultPart> {
  const open = new Map<string, CallPart>();
  const answers = new Map<CallPart, ResultPart>();
  for (const { parts } of entries) {
    for (const part of parts) {
      if (part.type === 'call') open.set(part.callId, part);
      if (part.type !== 'result') continue;
      const call = open.get(part.callId);
      if (call) answers.set(call, part);
    }
  }
  return answers;
}

const fence = /^\s{0,3}```([\w-]{0,40})\s*$/;
const shellFences: ReadonlySet<string> = new Set(['bash', 'sh', 'shell', 'mswea_bash_command']);
const thoughtHead = /^\s*(?:THOUGHT|DISCUSSION):?\s*/;

interface TextAction {
  readonly command: string;
  /** What is said around it. */
  readonly said: string;
  readonly isShell: boolean;
}

/**
 * The last block of shell in a text, or the block of no language that it ends with; `undefined` where there is none. Who
 * answers a question shows blocks, too, and says more behind them.
 */
function textAction(text: string): TextAction | undefined {
  const lines = text.split('\n');
  let found: { readonly from: number; readonly end: number; readonly isShell: boolean } | undefined;
  let open: { readonly from: number; readonly language: string } | undefined;
  for (const [at, line] of lines.entries()) {
    const mark = fence.exec(line);
    if (!mark) continue;
    if (!open) open = { from: at, language: mark[1] ?? '' };
    else if (mark[1] === '') {
      const isShell = shellFences.has(open.language);
      if (isShell || (open.language === '' && found?.isShell !== true))
        found = { from: open.from, end: at, isShell };
      open = undefined;
    }
  }
  if (!found) return undefined;
  const { from, end, isShell } = found;
  const behind = lines.slice(end + 1);
  if (!isShell && behind.join('').trim() !== '') return undefined;
  const block = lines.slice(from + 1, end);
  const command = block.join('\n').trim();
  const said = [...lines.slice(0, from), ...behind].join('\n');
  return command === '' ? undefined : { command, said: said.replace(thoughtHead, '').trim(), isShell };
}

/**
 * The messages of agents whose actions are text (mini-swe-agent, SWE-agent) as those of others: the command that a message
 * ends with as a call, and what came of it, in the user's place right behind, as its result. All others as they are.
 */
export function withTextActions(entries: readonly Entry[]): readonly Entry[] {
  const made = [...entries];
  for (const [at, answer] of entries.entries()) {
    const entry = entries[at - 1];
    if (!entry || entry.role !== 'assistant' || answer.ordinal !== entry.ordinal + 1) continue;
    if (answer.role !== 'user' || injectedKindOf(answer) !== 'output') continue;
    const action = entry.parts.some(({ type }) => type === 'call') ? undefined : textAction(entryText(entry));
    // A diff shows what mini-swe-agent has handed in; behind another block the user shows one.
    if (!action || (!action.isShell && entryText(answer).trimStart().startsWith('diff --git '))) continue;
    const callId = `text-action-${entry.ordinal}` as CallId;
    const others = entry.parts.filter(({ type }) => type !== 'text');
    const input = { type: 'value', value: { command: action.command }, at: [] } as const;
    const said = action.said === '' ? [] : [{ type: 'text', at: [], text: action.said } as const];
    made[at - 1] = {
      ...entry,
      parts: [...others, ...said, { type: 'call', at: [], callId, name: 'bash', input }],
    };
    const pieces = [{ type: 'text', at: [], text: textOutput(entryText(answer)) } as const];
    made[at] = { ...answer, parts: [{ type: 'result', at: [], callId, isError: false, pieces }] };
  }
  return made;
}
