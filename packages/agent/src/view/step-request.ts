import { createHash } from 'node:crypto';
import { markForCache } from '@throughline/core';
import type { View } from '@throughline/core';
import type { StepRequest } from '@throughline/ports';
import type { AgentOptions } from '../options/agent-options.ts';
import type { SessionContext, SessionRequest } from './session-context.ts';

interface StepRequestOptions {
  readonly sessionId: string;
  /** Stand behind the messages of this request only. */
  readonly notes: readonly string[];
  /** The tools stay in the prompt, and the model is not to use them. */
  readonly isLast: boolean;
  /** @default the provider decides */
  readonly maxOutputTokens: number | undefined;
  readonly request: AgentOptions['request'];
}

/** The request of a step as its driver gets it, and what had to be mended in it. */
export function stepRequestOf(
  context: SessionContext,
  view: View,
  { sessionId, notes, isLast, maxOutputTokens, request: asked = {} }: StepRequestOptions,
): { readonly request: StepRequest; readonly made: SessionRequest } {
  const { prompt, driver } = context.setup;
  const made = context.request(view, notes);
  const { system, messages } = markedFor(driver.codec.name, prompt.system, made);
  const { temperature } = asked;
  const request: StepRequest = {
    messages,
    conversationId: sessionId,
    ...(system === '' ? {} : { system }),
    ...(prompt.tools.length > 0 ? { tools: prompt.tools } : {}),
    ...(isLast ? { toolChoice: 'none' as const } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
  return { request, made };
}

/** Anthropic finds a cached prefix only up to marks in the request. */
function markedFor(
  codec: string,
  system: string,
  { messages }: SessionRequest,
): { readonly system: unknown; readonly messages: readonly unknown[] } {
  if (codec !== 'anthropic') return { system, messages: messages.map(({ message }) => message) };
  const marked = markForCache({ messages, ...(system === '' ? {} : { system }) });
  return { system: marked.system ?? '', messages: marked.messages };
}

/** Hashes of values that were hashed before: from step to step nearly all messages of a request are the same objects. */
const known = new WeakMap<object, string>();

/** Tells two requests apart, and what every request begins with; costs what is new since the one before. */
export function hashesOfRequest({ messages, tools, system, ...rest }: StepRequest): {
  readonly hash: string;
  readonly systemHash: string;
  readonly toolsHash: string;
} {
  const [toolsHash, systemHash] = [hashOf(tools ?? null), hashOf(system ?? null)];
  const parts = [...messages.map(hashOf), toolsHash, systemHash, hashOf(rest)];
  return { hash: sha256(parts.join(' ')), systemHash, toolsHash };
}

function hashOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return sha256(JSON.stringify(value) ?? '');
  const before = known.get(value);
  if (before !== undefined) return before;
  const hash = sha256(JSON.stringify(value));
  known.set(value, hash);
  return hash;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
