import { sessionCodec } from '@throughline/core';
import { objectOf } from '../json-value.ts';
import type { NeutralPart, Role } from '@throughline/core';
import type { Origin, RecordedSession, RecordedUsage } from '../recording.ts';

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
