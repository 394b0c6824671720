import { sessionCodec } from '@throughline/core';
import { writeJson } from '@throughline/core/internal';
import { objectOf } from '../recording/json-value.ts';
import type { NeutralMedia, NeutralPart, Role } from '@throughline/core/codec';
import type { Origin, RecordedSession, RecordedUsage } from '../recording/recording.ts';

export type CountedUsage = Omit<RecordedUsage, 'messageIndex'>;

type SessionDetails = Pick<RecordedSession, 'id' | 'kind'> & {
  readonly system?: string | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly model?: string | undefined;
  readonly title?: string | undefined;
  readonly holdsWholePrompt?: boolean;
};

/**
 * A conversation rebuilt from an event log, in messages of our own session format. Calls that were logged without an
 * id are tied to their results by `callId`.
 */
export class ConversationBuilder {
  readonly #messages: unknown[] = [];
  readonly #usage: RecordedUsage[] = [];

  get length(): number {
    return this.#messages.length;
  }

  /** Adds what one role says. Parts that say nothing add no message. */
  say(role: Role, parts: readonly NeutralPart[]): void {
    const said = parts.filter((part) => part.type !== 'text' || part.text !== '');
    if (said.length === 0) return;
    for (const message of sessionCodec.compose({ role, parts: said, kind: 'converted' }).messages) {
      this.#messages.push({ ...objectOf(message), id: `m${this.#messages.length}` });
    }
  }

  /** Usage of the response that is said next. */
  measure(usage: CountedUsage | undefined): void {
    if (usage && usage.inputTokens > 0) this.#usage.push({ messageIndex: this.#messages.length, ...usage });
  }

  session({ id, kind, holdsWholePrompt = false, ...details }: SessionDetails): RecordedSession {
    const origin: Origin = { type: 'composed' };
    return {
      id,
      kind,
      codec: sessionCodec,
      messages: this.#messages,
      origins: this.#messages.map(() => origin),
      usage: this.#usage,
      holdsWholePrompt,
      ...known(details),
    };
  }
}

type Known<Details> = { readonly [Key in keyof Details]?: NonNullable<Details[Key]> };

function known<Details extends object>(details: Details): Known<Details> {
  return Object.fromEntries(
    Object.entries(details).filter(([, value]) => value !== undefined),
  ) as Known<Details>;
}

/** The shortest ways to say the parts of a message. */
export function text(value: string): NeutralPart {
  return { type: 'text', text: value };
}

/** A result with one text. `isError` is `false` unless stated. */
export function result(
  call: { readonly id: string; readonly name: string },
  output: string,
  isError = false,
): NeutralPart {
  return {
    type: 'result',
    callId: call.id,
    name: call.name,
    content: [{ type: 'text', text: output }],
    isError,
  };
}

/** A tool's output as the text a model would see. */
export function outputText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return writeJson(value);
}

/** An image at an address, which may hold the image itself. */
export function imageAt(url: string): NeutralMedia {
  const [head, data] = url.startsWith('data:') ? url.slice('data:'.length).split(';base64,', 2) : [];
  if (head !== undefined && data !== undefined)
    return { type: 'media', mediaType: head, source: { type: 'base64', data } };
  return { type: 'media', mediaType: 'image/*', source: { type: 'url', url } };
}
