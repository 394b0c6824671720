import { readFields } from './sse-splitter.ts';
import { readEvent } from './stream-event.ts';
import type { WireObject } from '@throughline/core/internal';

/** Says in which place the text of a tried event stands. */
const mark = 'here';
/** Of a stream whose events all differ in something else, too, no more are tried. */
const mostTries = 4;
/** What stands in JSON as it is. */
const plain = /^[^"\\\p{Cc}]*$/u;

/**
 * How the events that add text to an answer look: the same characters before and behind the text. An event that looks
 * like one before it says the same as that one, but for its text: it need not be read as a whole.
 */
export class TextPattern {
  readonly #textOf: (value: WireObject) => string | undefined;
  #before = '';
  #behind = '';
  #isKnown = false;
  #tries = 0;

  /** @param textOf what an event adds that does nothing but add text */
  constructor(textOf: (value: WireObject) => string | undefined) {
    this.#textOf = textOf;
  }

  /** The text of an event that looks like the one that was learned; `undefined` for all others. */
  textIn(event: string): string | undefined {
    if (!this.#isKnown || !event.startsWith(this.#before) || !event.endsWith(this.#behind)) return undefined;
    const end = event.length - this.#behind.length;
    if (end <= this.#before.length) return undefined;
    const written = event.slice(this.#before.length, end);
    const text = plain.test(written) ? written : unescaped(written);
    if (text !== undefined) this.#tries = 0;
    return text;
  }

  /** Learns how an event looks that was read as a whole, and has this value. */
  learn(event: string, value: WireObject): void {
    const text = this.#textOf(value);
    if (text === undefined || text === '' || this.#tries >= mostTries) return;
    this.#tries += 1;
    const written = JSON.stringify(text).slice(1, -1);
    const at = event.lastIndexOf(`"${written}"`);
    if (at < 0) return;
    const before = event.slice(0, at + 1);
    const behind = event.slice(at + 1 + written.length);
    // The text may stand in it twice, or be a name: what counts is that another one there is read as its text.
    const tried = readEvent(readFields(new Uint8Array(), `${before}${mark}${behind}`));
    if (!tried.value || this.#textOf(tried.value) !== mark) return;
    this.#before = before;
    this.#behind = behind;
    this.#isKnown = true;
  }
}

/** `undefined` where it is more than the inside of a text. */
function unescaped(written: string): string | undefined {
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return undefined;
  }
}
