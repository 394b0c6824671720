/** Shorter repetitions are chance: an answer often goes on with a word it has just used. */
const leastCharacters = 16;
/** Rulers, indentation and rows of zeros go on with what they are made of. */
const leastDifferent = 6;
/** A beginning that stands in the text so often repeats nothing in particular. */
const mostPlaces = 1_000;

/**
 * Takes away what an answer repeats of the text that it was asked to go on with: its beginning, where that is the end of
 * the text. Text is held back only as long as it can still turn out to be a repetition. A repetition must be of some
 * length, of some variety, and stand nowhere else in the text, which may have reasons to say the same again: what is
 * repeated by mistake is a smaller harm than what is lost.
 */
export class Overlap {
  readonly #before: string;
  #held = '';
  #places: readonly number[] | undefined;
  #isDecided = false;

  /** @param before the text that the client has. */
  constructor(before: string) {
    this.#before = before;
    if (before.length < leastCharacters) this.#isDecided = true;
  }

  /** What of the text so far may be told. */
  take(text: string): string {
    if (this.#isDecided) return text;
    const checked = this.#held.length;
    this.#held += text;
    if (this.#held.length < leastCharacters) {
      return this.#before.includes(this.#held) ? '' : this.#decide(0);
    }
    this.#places = this.#places
      ? this.#places.filter((place) => this.#agrees(place, checked))
      : this.#findPlaces().filter((place) => this.#agrees(place, leastCharacters));
    const [first] = this.#places;
    if (first === undefined) return this.#decide(0);
    return first + this.#held.length < this.#before.length ? '' : this.#decide(this.#repeatedFrom(first));
  }

  /** The rest, when no more text comes. */
  end(): string {
    if (this.#isDecided) return '';
    const whole = this.#places?.find((place) => place + this.#held.length >= this.#before.length);
    return this.#decide(whole === undefined ? 0 : this.#repeatedFrom(whole));
  }

  /** Where the text holds the beginning of what came. */
  #findPlaces(): readonly number[] {
    const start = this.#held.slice(0, leastCharacters);
    const places: number[] = [];
    for (let at = this.#before.indexOf(start); at >= 0; at = this.#before.indexOf(start, at + 1)) {
      if (places.length === mostPlaces) return [];
      places.push(at);
    }
    return places;
  }

  #agrees(place: number, from: number): boolean {
    const end = Math.min(this.#held.length, this.#before.length - place);
    return this.#before.slice(place + from, place + end) === this.#held.slice(from, Math.max(from, end));
  }

  #repeatedFrom(place: number): number {
    const repeated = this.#before.slice(place);
    const isVaried = new Set(repeated.replace(/\s/g, '')).size >= leastDifferent;
    return isVaried && this.#before.indexOf(repeated) === place ? repeated.length : 0;
  }

  #decide(dropped: number): string {
    this.#isDecided = true;
    const rest = this.#held.slice(dropped);
    this.#held = '';
    return rest;
  }
}
