import type { StageInput, ViewPart } from './stage-input.ts';
import { partsOf } from './stage-input.ts';
import { tailItem } from '../changes/view.ts';
import { truncateOutput } from '../text/truncate-output.ts';
import type { ToolLimits } from '../text/truncate-output.ts';
import { resultText } from '../transcript/entry-text.ts';
import { levelWithin, truncateResult } from './shrink-parts.ts';
import type { Conversation } from '../transcript/conversation.ts';
import { newestExchanges } from '../transcript/conversation.ts';
import type { PartLevelChange } from '../changes/change.ts';
import type { ResultPart } from '../transcript/entry.ts';
import type { Exchange } from '../transcript/exchange.ts';

interface TruncateOptions {
  /** Position from which results have not been truncated yet. */
  readonly from: number;
  readonly limitsOf: (toolName: string | undefined) => ToolLimits;
}

// Below this a truncated result says less than the note that it was truncated.
const smallestResultTokens = 60;

/**
 * Truncates results before their first send: to the limits of their tool, to a quarter of the trigger each, and
 * to 40 % of the trigger for an exchange of parallel ones. Head and tail stay; nothing is dropped. It changes nothing that
 * was sent before, and breaks no prefix.
 */
export function truncateResults(input: StageInput, options: TruncateOptions): PartLevelChange[] {
  const changes: PartLevelChange[] = [];
  for (const exchange of exchangesSince(input, options.from)) {
    const results = newResults(input, exchange, options.from);
    if (results.length === 0) continue;
    const names = callNames(input.view.conversation, exchange);
    const limited = results.map((view) => {
      const { name, callId } = view.part as ResultPart;
      return limitView(input, view, options.limitsOf(name ?? names.get(callId)));
    });
    const level = levelWithin(
      limited.map(({ tokens }) => tokens),
      input.measures.exchange,
    );
    const maxTokens = Math.max(smallestResultTokens, Math.min(level, input.measures.result));
    for (const one of limited) {
      const change = truncateTo(input, one, maxTokens);
      if (change) changes.push(change);
    }
  }
  return changes;
}

interface TruncatedResult {
  /** What it costs within the limits of its tool. */
  readonly tokens: number;
  /** Absent where it stays as it is: within its limits, or not smaller with a note of what went. */
  readonly change: PartLevelChange | undefined;
}

/** What truncation makes of one result with no other beside it. */
export function truncateAlone(input: StageInput, view: ViewPart, limits: ToolLimits): TruncatedResult {
  const limited = limitView(input, view, limits);
  const maxTokens = Math.max(smallestResultTokens, Math.min(input.measures.result, input.measures.exchange));
  return { tokens: limited.tokens, change: truncateTo(input, limited, maxTokens) };
}

interface LimitedResult {
  readonly view: ViewPart;
  readonly part: ResultPart;
  /** The text within the limits of its tool, and what the result costs with it. */
  readonly text: string;
  readonly tokens: number;
  readonly isLimited: boolean;
}

/** Exchanges that reach past `from`, oldest first, without a walk over the whole history. */
function exchangesSince({ view: { conversation } }: StageInput, from: number): Exchange[] {
  const found: Exchange[] = [];
  for (const exchange of newestExchanges(conversation)) {
    if (exchange.end <= from) break;
    if (exchange.type === 'response') found.push(exchange);
  }
  return found.reverse();
}

function newResults(input: StageInput, exchange: Exchange, from: number): ViewPart[] {
  const results: ViewPart[] = [];
  const first = Math.max(exchange.first, from, input.view.conversation.barrierAt);
  for (let position = first; position < exchange.end; position += 1) {
    const item = tailItem(input.view, position);
    if (!item || input.pins.has(item.entry.ordinal)) continue;
    for (const view of partsOf(input, item)) {
      // What was changed already has been truncated before, or lies in what is going on.
      if (view.change) continue;
      if (view.part.type === 'result' && view.part.isProviderExecuted !== true) results.push(view);
    }
  }
  return results;
}

/** Tool names by call id, the newest of its exchange: not every format repeats the name in the result. */
function callNames({ entries }: Conversation, { first, end }: Exchange): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (let position = first; position < end; position += 1) {
    for (const part of entries.at(position)?.parts ?? []) {
      if (part.type === 'call') names.set(part.callId, part.name);
    }
  }
  return names;
}

function limitView(input: StageInput, view: ViewPart, limits: ToolLimits): LimitedResult {
  const part = view.part as ResultPart;
  const original = resultText(part);
  const text = truncateOutput(original, limits);
  if (text === original) return { view, part, text, tokens: view.tokens, isLimited: false };
  const saved = input.estimator.count(original) - input.estimator.count(text);
  return { view, part, text, tokens: Math.max(0, view.fullTokens - saved), isLimited: true };
}

function truncateTo(
  input: StageInput,
  limited: LimitedResult,
  maxTokens: number,
): PartLevelChange | undefined {
  const { view, part, tokens, isLimited } = limited;
  if (tokens <= maxTokens && !isLimited) return undefined;
  return truncateResult(input, view, { part, text: limited.text, maxTokens, reason: 'truncation' });
}

/** Default limits on tool output before its first send: about those that coding agents have for the same tools. */
const defaultToolLimits: {
  readonly default: ToolLimits;
  readonly byTool: ReadonlyMap<string, ToolLimits>;
} = {
  default: { maxOutputChars: 120_000 },
  byTool: new Map([
    ['bash', { maxOutputChars: 30_000 }],
    ['shell', { maxOutputChars: 30_000 }],
    ['read', { maxOutputChars: 120_000, maxLines: 2_000, maxLineLength: 2_000 }],
    ['grep', { maxOutputChars: 120_000, maxMatches: 1_000 }],
  ]),
};

/** The limits of a tool by name, whatever its case. */
export function defaultLimitsOf(toolName: string | undefined): ToolLimits {
  return defaultToolLimits.byTool.get((toolName ?? '').toLowerCase()) ?? defaultToolLimits.default;
}
