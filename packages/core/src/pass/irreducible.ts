import { toActual } from '../budget/measures.ts';
import { shownRequests, isHidden, shownIn } from '../changes/view.ts';
import { fixedKey } from '../history/transcript.ts';
import { fixedTokensOf } from './pass.ts';
import { lastCut } from '../stages/select-range.ts';
import { shrunkTokens } from '../stages/shrink-parts.ts';
import { countTools } from '../tokens/measure-entry.ts';
import {
  exchangesOf,
  openTokens,
  positionOf,
  repeatedSystemMessages,
  tokensAt,
} from '../transcript/conversation.ts';
import { messageRecallId } from '../transcript/entry.ts';
import type { Conversation } from '../transcript/conversation.ts';
import type { MeasuredPart } from '../errors/context-error.ts';
import type { Pass } from './pass.ts';

interface Irreducible {
  readonly tokens: number;
  /** The biggest first. */
  readonly parts: readonly MeasuredPart[];
}

/** A part in the estimator's tokens. */
interface Floor {
  readonly name: string;
  readonly tokens: number;
  /** The position of the message, where it is a single one. */
  readonly position?: number;
}

/**
 * What no ladder step can take away: system text, tools, the host's notes, pins, the task, the latest request (both up to their verbatim
 * share) and the notes that the unanswered messages shrink to. Every message counts once, whatever it is at the same
 * time. Measured before the first ladder step.
 */
export function irreducible(pass: Pass): Irreducible {
  const { transcript, tokenScale, notesTokens } = pass;
  const { conversation, systemTokens, toolsTokens } = transcript;
  const { systemMessageTokens, others } = messageFloors(pass);
  const messageTokens = others.reduce((sum, { tokens }) => sum + tokens, systemMessageTokens);
  const besideTokens = systemTokens + toolsTokens + notesTokens;
  const unknown = toActual(tokenScale, 0) / tokenScale.slope - besideTokens;
  const floors: Floor[] = [
    { name: 'system', tokens: systemTokens + systemMessageTokens },
    { name: 'tools', tokens: toolsTokens },
    { name: 'notes', tokens: notesTokens },
    { name: 'system and tools, as the provider counts them', tokens: Math.max(0, unknown) },
    ...others,
  ];
  const total = floors.reduce((sum, { tokens }) => sum + tokens, 0);
  // Smaller than the slope of the scale where the provider counted less.
  const slope = Math.min(tokenScale.slope, toActual(tokenScale, messageTokens) / Math.max(1, total));
  const parts = floors.flatMap(({ name, tokens: estimate, position }): MeasuredPart[] => {
    const tokens = Math.round(slope * estimate);
    const ordinal = position === undefined ? undefined : conversation.entries.at(position)?.ordinal;
    if (tokens <= 0) return [];
    return [{ name, tokens, ...(ordinal === undefined ? {} : { recallId: messageRecallId(ordinal) }) }];
  });
  parts.sort((a, b) => b.tokens - a.tokens);
  return { tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0), parts };
}

interface MessageFloors {
  readonly systemMessageTokens: number;
  readonly others: readonly Floor[];
}

/** The messages, each under the first name that it goes by. */
function messageFloors({ transcript: { conversation }, view, measures, policy }: Pass): MessageFloors {
  const { entries } = conversation;
  const { taskAt, latestAt } = shownRequests(view);
  const isShown = shownIn(view);
  const pins = (policy.pins ?? []).map((ordinal) => positionOf(conversation, ordinal));
  const pinned = new Set(pins);
  const taken = new Set<number>();
  const take = (positions: Iterable<number>, floorOf: (position: number) => number): number => {
    let tokens = 0;
    for (const position of positions) {
      if (position < 0 || taken.has(position) || isHidden(conversation, position) || !isShown(position))
        continue;
      taken.add(position);
      tokens += pinned.has(position) ? tokensAt(conversation, position) : floorOf(position);
    }
    return tokens;
  };
  const whole = (position: number): number => tokensAt(conversation, position);
  const verbatim = (position: number): number => Math.min(whole(position), measures.verbatim);
  const unanswered = Array.from(
    { length: entries.length - lastCut(conversation) },
    (_, index) => entries.length - 1 - index,
  );
  const systemMessageTokens = take(systemPositions(conversation), whole);
  const others = [
    { name: 'task', tokens: take([taskAt], verbatim), position: taskAt },
    { name: 'request', tokens: take([latestAt], verbatim), position: latestAt },
    { name: 'pins', tokens: take(pins, whole) },
    {
      name: 'unanswered',
      tokens: take(unanswered, (position) => shrunkSize(conversation, position)) + openTokens(conversation),
    },
  ];
  return { systemMessageTokens, others };
}

function systemPositions(conversation: Conversation): number[] {
  const repeated = repeatedSystemMessages(conversation);
  const cut = lastCut(conversation);
  return exchangesOf(conversation).flatMap(({ type, first }) =>
    type === 'system' && (repeated.get(first) ?? cut) >= cut ? [first] : [],
  );
}

/** Each part of what the model has not answered keeps at least its note; what is smaller keeps its size. */
function shrunkSize({ sizes, entries }: Conversation, position: number): number {
  const size = sizes.at(position);
  const parts = entries.at(position)?.parts ?? [];
  let tokens = size?.tokens ?? 0;
  size?.parts.forEach((partTokens, index) => {
    const type = parts[index]?.type;
    if (type === 'text' || type === 'result' || type === 'media')
      tokens -= Math.max(0, partTokens - shrunkTokens);
  });
  return tokens;
}

// Beyond it a conversation has less room than what stands in front of it.
const mostShare = 0.5;
const mostNamed = 4;

/** Whether what every request holds takes most of what is usable: then a pass gains little, however well it is made. */
export function isCrowded(pass: Pass): boolean {
  return fixedTokensOf(pass) > pass.budget.usableTokens * mostShare;
}

/** Whether system text and tools alone do: they stay as they are, where system messages become more. */
export function isCrowdedBeside({ tokenScale, budget }: Pass): boolean {
  return toActual(tokenScale, 0) > budget.usableTokens * mostShare;
}

/**
 * What is in the way and what to do about it, in a sentence; `undefined` where nothing is, or where it was said of this
 * system text and these tools before.
 */
export function crowdedWarning(pass: Pass): string | undefined {
  const { transcript, state, tokenScale, budget } = pass;
  if (!isCrowded(pass) || state.crowdedKey === fixedKey(transcript)) return undefined;
  const fixedTokens = Math.round(fixedTokensOf(pass));
  const percent = Math.round((fixedTokens / budget.usableTokens) * 100);
  const biggest = partsOf(pass).map(({ name, tokens }) => `${name} ${tokens}`);
  const named = biggest.length > 0 ? ` The biggest parts: ${biggest.join(', ')}.` : '';
  const what = [
    'System text',
    ...(fixedTokens > Math.round(toActual(tokenScale, 0)) ? ['system messages'] : []),
    ...(pass.notesTokens > 0 ? ['notes'] : []),
  ];
  return `${what.join(', ')} and tools take ${fixedTokens} of the ${budget.usableTokens} usable tokens (${percent} %): little is left for the conversation, and it is compacted often.${named} Switch off tools that are not needed, cut the system text, or give the model a larger window.`;
}

function partsOf(pass: Pass): { readonly name: string; readonly tokens: number }[] {
  const { transcript, tokenScale, notesTokens } = pass;
  const { systemTokens, tools, estimator } = transcript;
  const beside = [
    { name: 'system text', tokens: systemTokens },
    { name: 'notes', tokens: notesTokens },
    ...tools.map((tool) => ({ name: toolName(tool), tokens: countTools([tool], estimator) })),
  ];
  // As the provider counts them: what it adds of its own lies on all of them.
  const estimated = beside.reduce((sum, { tokens }) => sum + tokens, 0);
  const besideTokens = toActual(tokenScale, 0);
  const scale = besideTokens / Math.max(1, estimated);
  const inHistory = fixedTokensOf(pass) - besideTokens;
  return [
    ...beside.map(({ name, tokens }) => ({ name, tokens: Math.round(tokens * scale) })),
    { name: 'system messages', tokens: Math.round(inHistory) },
  ]
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, mostNamed);
}

/** In whatever format it is described. */
function toolName(tool: unknown): string {
  const {
    name,
    function: called,
    type,
  } = (tool ?? {}) as {
    readonly name?: unknown;
    readonly function?: { readonly name?: unknown };
    readonly type?: unknown;
  };
  const known = [name, called?.name, type].find((one) => typeof one === 'string' && one !== '');
  return typeof known === 'string' ? known : 'a tool';
}
