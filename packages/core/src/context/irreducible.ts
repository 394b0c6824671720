import { messageRecallId } from '../transcript/entry.ts';
import { shrunkTokens } from '../stages/shrink-parts.ts';
import { toActual } from '../budget/gauge.ts';
import { lastCut } from '../stages/select-fold.ts';
import { positionOf } from '../transcript/conversation.ts';
import type { Attempt } from './attempt.ts';
import type { MeasuredPart } from '../errors/context-error.ts';

export interface Irreducible {
  readonly tokens: number;
  /** The biggest first. */
  readonly parts: readonly MeasuredPart[];
}

/**
 * What no rung can take away: system text, tools, pins, the task, the latest request (both up to their verbatim
 * share) and the notes that the unanswered messages shrink to. Measured before the first rung.
 */
export function irreducible({ transcript, gauge, measures, policy }: Attempt): Irreducible {
  const { conversation, systemTokens, toolsTokens } = transcript;
  const sizeAt = (position: number): number => conversation.sizes.at(position)?.tokens ?? 0;
  const actual = (estimate: number): number => Math.round(gauge.slope * estimate);
  const parts: MeasuredPart[] = [];
  const add = (name: string, tokens: number, position?: number): void => {
    const ordinal = position === undefined ? undefined : conversation.entries.at(position)?.ordinal;
    if (tokens > 0)
      parts.push({ name, tokens, ...(ordinal === undefined ? {} : { recallId: messageRecallId(ordinal) }) });
  };
  const unknown = Math.max(0, toActual(gauge, 0) - gauge.slope * (systemTokens + toolsTokens));
  add('system', actual(systemTokens + leadingSystem(conversation)));
  add('tools', actual(toolsTokens));
  add('system and tools, as the provider counts them', Math.round(unknown));
  add('task', actual(Math.min(sizeAt(conversation.taskAt), measures.verbatim)), conversation.taskAt);
  if (conversation.latestAt !== conversation.taskAt) {
    add('request', actual(Math.min(sizeAt(conversation.latestAt), measures.verbatim)), conversation.latestAt);
  }
  const pins = (policy.pins ?? []).map((ordinal) => positionOf(conversation, ordinal));
  add('pins', actual(pins.reduce((sum, position) => sum + sizeAt(position), 0)));
  add('unanswered', actual(unansweredFloor(conversation)));
  parts.sort((a, b) => b.tokens - a.tokens);
  return { tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0), parts };
}

type Conversation = Attempt['transcript']['conversation'];

function leadingSystem({ units, lastUnit, sizes }: Conversation): number {
  let tokens = 0;
  for (let index = 0; index <= units.length; index += 1) {
    const unit = units.at(index) ?? lastUnit;
    if (unit?.type !== 'system') break;
    tokens += sizes.at(unit.first)?.tokens ?? 0;
  }
  return tokens;
}

/** Each part of what the model has not answered keeps at least its note; what is smaller keeps its size. */
function unansweredFloor(conversation: Conversation): number {
  let tokens = 0;
  for (let position = lastCut(conversation); position < conversation.entries.length; position += 1) {
    if (position === conversation.latestAt || position === conversation.taskAt) continue;
    const size = conversation.sizes.at(position);
    if (!size) continue;
    const parts = conversation.entries.at(position)?.parts ?? [];
    tokens += size.tokens;
    size.parts.forEach((partTokens, index) => {
      const type = parts[index]?.type;
      if (type === 'text' || type === 'result' || type === 'media')
        tokens -= Math.max(0, partTokens - shrunkTokens);
    });
  }
  return tokens;
}
