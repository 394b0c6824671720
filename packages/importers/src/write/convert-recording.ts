import { applyRepair, convertMessages, repair } from '@throughline/core';
import { writeJson } from '@throughline/core/internal';
import { requestCodecs } from '../recording/format.ts';
import { isObject, objectOf, textOf } from '../recording/json-value.ts';
import type { Codec } from '@throughline/core';
import type { Loss } from '@throughline/core/codec';
import type { TargetName } from '../recording/format-names.ts';
import type { RecordedSession, ViewMessage } from '../recording/recording.ts';

export interface Converted {
  readonly text: string;
  readonly losses: readonly Loss[];
}

/**
 * The view in another format: the body of a request as JSON, with the model and the system prompt where the recording
 * has them. Tool schemas stay behind, since each format writes them in its own way. The session format is JSONL.
 */
export function convertRecording(
  session: RecordedSession,
  view: readonly ViewMessage[],
  to: TargetName,
): Converted {
  const entries = view.map(({ message }, ordinal) => session.codec.decode(message, ordinal));
  const target = requestCodecs[to];
  const { messages, losses } = convertMessages(entries, session.codec, target);
  const { messages: sound, repairs } = repaired(messages, target);
  return { text: requestText(session, sound, to), losses: [...losses, ...repairs, ...toolLosses(session)] };
}

export function toolLosses({ tools }: RecordedSession): Loss[] {
  return tools && tools.length > 0 ? [{ path: 'tools', reason: 'tool schemas stay behind' }] : [];
}

/** What the target format refuses is mended by its own rules, and told: they differ from those of the source. */
function repaired(messages: readonly unknown[], target: Codec): { messages: unknown[]; repairs: Loss[] } {
  const decoded = messages.map((message, ordinal) => target.decode(message, ordinal));
  // The system prompt in front finds its own place in the body.
  const first = decoded.findIndex(({ role }) => role !== 'system');
  const count = first < 0 ? decoded.length : first;
  const entries = decoded.slice(count);
  const { items, repairs } = repair(entries, target, { ending: 'send' });
  return {
    messages: [
      ...messages.slice(0, count),
      ...applyRepair(entries, items, target).map(({ message }) => message),
    ],
    repairs: repairs.map((one) => ({
      path: 'entry' in one ? `messages[${one.entry + count}]` : 'messages',
      reason: one.type,
    })),
  };
}

/** Messages that are in the target format already, as the body of a request. */
export function requestText(session: RecordedSession, messages: readonly unknown[], to: TargetName): string {
  if (to === 'session') return sessionLines(messages, session.system);
  const model = session.model === undefined ? {} : { model: session.model };
  return `${writeJson({ ...model, ...bodies[to](messages, session.system) }, '  ')}\n`;
}

type Body = (messages: readonly unknown[], system: string | undefined) => object;

const bodies: Readonly<Record<Exclude<TargetName, 'session'>, Body>> = {
  'openai-chat': (messages, system) => ({ messages: withSystem(messages, system) }),
  'ai-sdk': (messages, system) => ({ messages: withSystem(messages, system) }),
  'openai-responses': (input, system) => (system === undefined ? { input } : { instructions: system, input }),
  anthropic: (messages, system) => systemApart(messages, system),
};

function withSystem(messages: readonly unknown[], system: string | undefined): readonly unknown[] {
  return system === undefined ? messages : [{ role: 'system', content: system }, ...messages];
}

/** Anthropic takes the system prompt beside the messages. */
function systemApart(messages: readonly unknown[], system: string | undefined): object {
  const isSystem = (message: unknown): boolean => isObject(message) && message['role'] === 'system';
  const leading = messages.findIndex((message) => !isSystem(message));
  const count = leading < 0 ? messages.length : leading;
  const texts = messages.slice(0, count).map((message) => textIn(objectOf(message)['content']));
  const all = [system, ...texts].filter((text) => text !== undefined && text !== '');
  const rest = messages.slice(count);
  return all.length === 0 ? { messages: rest } : { system: all.join('\n\n'), messages: rest };
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => textOf(objectOf(block)['text']) ?? []).join('\n\n');
}

function sessionLines(messages: readonly unknown[], system: string | undefined): string {
  const first = system === undefined ? [] : [{ role: 'system', parts: [{ type: 'text', text: system }] }];
  const lines = [...first, ...messages].map((message, index) =>
    writeJson({ ...objectOf(message), id: `m${index}` }),
  );
  return lines.map((line) => `${line}\n`).join('');
}
