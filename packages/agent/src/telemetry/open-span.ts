import { attribute } from './names.ts';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { Meters, TelemetryApi } from './meters.ts';

/** What spans are made with. */
export interface SpanKit {
  readonly api: TelemetryApi;
  readonly tracer: Tracer;
  readonly meters: Meters;
  /** Texts of the model, arguments and results go into spans. */
  readonly capturesContent: boolean;
}

interface SpanStart {
  readonly name: string;
  readonly kind?: 'INTERNAL' | 'CLIENT';
  readonly parent: Context;
  /** The parent is only where baggage is from. */
  readonly isRoot?: boolean;
  readonly atMs: number;
  readonly attributes: Attributes;
}

/** What went wrong, in a word that is the same each time. */
export interface SpanFault {
  readonly type: string;
  /** May quote what was said: told only where content is. */
  readonly message?: string;
}

/** A span that has begun, and the context of what happens in it. */
export class OpenSpan {
  readonly context: Context;
  readonly startedMs: number;
  readonly #kit: SpanKit;
  readonly #span: Span;

  constructor(kit: SpanKit, { name, kind = 'INTERNAL', parent, isRoot, atMs, attributes }: SpanStart) {
    const { api, tracer } = kit;
    const options = {
      kind: api.SpanKind[kind],
      // Not the number: a small one would be taken for the age of the process.
      startTime: new Date(atMs),
      attributes: wellFormed(attributes),
      ...(isRoot === true ? { root: true } : {}),
    };
    this.#kit = kit;
    this.#span = tracer.startSpan(name.toWellFormed(), options, parent);
    this.context = api.trace.setSpan(parent, this.#span);
    this.startedMs = atMs;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(wellFormed(attributes));
  }

  /** Puts text of the conversation into the span, where that was asked for. */
  setContent(name: string, text: () => string): void {
    if (this.#kit.capturesContent) this.set({ [name]: text().slice(0, maxContentChars) });
  }

  note(name: string, atMs: number, attributes: Attributes): void {
    this.#span.addEvent(name, wellFormed(attributes), new Date(atMs));
  }

  fail({ type, message }: SpanFault): void {
    this.set({ [attribute.errorType]: type });
    const { api, capturesContent } = this.#kit;
    const told = (capturesContent ? message : undefined) ?? type;
    this.#span.setStatus({
      code: api.SpanStatusCode.ERROR,
      message: told.slice(0, maxContentChars).toWellFormed(),
    });
  }

  end(atMs: number): void {
    // A clock that was set back must not make a span end before it began.
    this.#span.end(new Date(Math.max(atMs, this.startedMs)));
  }
}

const maxContentChars = 16_000;

/** A lone surrogate is in no UTF-8, and would cost the whole batch. */
function wellFormed(attributes: Attributes): Attributes {
  const told = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    told.map(([name, value]) => [name, typeof value === 'string' ? value.toWellFormed() : value]),
  );
}
