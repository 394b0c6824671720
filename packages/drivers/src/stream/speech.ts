import type { ModelEvent } from '@throughline/ports';

type Spoken = 'text' | 'reasoning';

/** Turns pieces of text and of reasoning that come one after the other into parts that begin and end. */
export class Speech {
  #open: { readonly kind: Spoken; readonly id: string } | undefined;
  #count = 0;
  readonly #pieces: Readonly<Record<Spoken, string[]>> = { text: [], reasoning: [] };

  *say(kind: Spoken, text: string): Iterable<ModelEvent> {
    if (text === '') return;
    if (this.#open?.kind !== kind) {
      yield* this.endAll();
      this.#open = { kind, id: `${kind}-${this.#count}` };
      this.#count += 1;
      yield { type: `${kind}-start`, id: this.#open.id };
    }
    this.#pieces[kind].push(text);
    yield { type: `${kind}-delta`, id: this.#open.id, text };
  }

  *endAll(): Iterable<ModelEvent> {
    if (this.#open) yield { type: `${this.#open.kind}-end`, id: this.#open.id };
    this.#open = undefined;
  }

  /** All that was said so far. */
  textOf(kind: Spoken): string {
    return this.#pieces[kind].join('');
  }
}
