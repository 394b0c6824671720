import { convertMessages } from '@throughline/core';
import { exchangeStrings } from '../media/exchange-strings.ts';
import { agentCodec } from '../view/agent-codec.ts';
import { plainMessage } from './plain-message.ts';
import { storableWire } from '../view/own-wire.ts';
import type { Json, SessionMessage } from '@throughline/core';
import type { ModelDriver, StepEnd } from '@throughline/ports';

export interface CloseOptions {
  readonly driver: ModelDriver;
  /** By part: what the provider wants back with its reasoning. */
  readonly secrets: ReadonlyMap<number, Json>;
  /** By their data: where the files are kept that the model made. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * An answer with everything its provider wants back: usage, the marks on reasoning that is sent again, and the wire
 * form itself where the answer in our own words would lose something of it.
 */
export function closeAnswer(answer: SessionMessage, end: StepEnd, options: CloseOptions): SessionMessage {
  const { driver, files } = options;
  // Messages of a driver are JSON by its contract.
  const wire = (end.messages as readonly Json[]).map((message) => exchangeStrings(message, files));
  const isReasoningSent = wire.some((message) =>
    driver.codec.decode(message, 0).parts.some(({ type }) => type === 'reasoning'),
  );
  const parts = answer.parts.map((part, index) =>
    part.type === 'reasoning' && isReasoningSent ? withSecret(part, options.secrets.get(index)) : part,
  );
  const said: SessionMessage = {
    ...answer,
    parts,
    finishReason: end.finishReason,
    ...(end.usage ? { usage: usageOf(end.usage) } : {}),
  };
  const converted = convertMessages([agentCodec.decode(said, 0)], agentCodec, driver.codec).messages;
  // A driver that reports nothing has nothing to add to what it said.
  if (wire.length === 0 || isSaidBy(wire, converted)) return said;
  const own = { codec: driver.codec.name, by: driver.name, messages: wire };
  return { ...said, meta: { wire: storableWire(own, parts) } };
}

/** Whether the wire form says nothing that the other does not. */
function isSaidBy(wire: readonly unknown[], converted: readonly unknown[]): boolean {
  return JSON.stringify(wire.map(plainMessage)) === JSON.stringify(converted.map(plainMessage));
}

type Reasoning = Extract<SessionMessage['parts'][number], { type: 'reasoning' }>;

function withSecret(part: Reasoning, secret: Json | undefined): Reasoning {
  if (secret === undefined) return { ...part, binding: 'content' };
  const signature = typeof secret === 'string' ? secret : JSON.stringify(secret);
  return { ...part, signature, binding: 'content' };
}

function usageOf(usage: NonNullable<StepEnd['usage']>): NonNullable<SessionMessage['usage']> {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}
