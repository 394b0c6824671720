/** What all texts of a result have together, where nobody says otherwise. */
export const defaultMaxOutputChars = 120_000;

/** What is left of a text of any length: its head and its tail, in memory bounded by `maxChars`. */
export class HeadTail {
  readonly #headChars: number;
  readonly #tailChars: number;
  #head = '';
  #tail = '';
  /** All characters ever added. */
  totalChars = 0;

  /** Head and tail share `maxChars` six to four. */
  constructor(maxChars: number) {
    this.#headChars = Math.ceil(maxChars * 0.6);
    this.#tailChars = Math.floor(maxChars * 0.4);
  }

  add(text: string): void {
    this.totalChars += text.length;
    const room = this.#headChars - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    if (text.length <= room) return;
    this.#tail += text.slice(Math.max(0, room));
    // Cut only now and then: each character is copied a bounded number of times.
    if (this.#tail.length > 2 * this.#tailChars + 4_096) this.#tail = lastChars(this.#tail, this.#tailChars);
  }

  get isCut(): boolean {
    return this.totalChars > this.#headChars + this.#tailChars;
  }

  /** The text; where something is missing, what `note` says about that many characters. Ends on code points. */
  text(note: (leftOutChars: number) => string): string {
    if (!this.isCut) return this.#head + this.#tail;
    const head = /[\ud800-\udbff]$/.test(this.#head) ? this.#head.slice(0, -1) : this.#head;
    const tail = lastChars(this.#tail, this.#tailChars).replace(/^[\udc00-\udfff]/, '');
    return `${head}${note(this.totalChars - head.length - tail.length)}${tail}`;
  }
}

function lastChars(text: string, count: number): string {
  return count === 0 ? '' : text.slice(-count);
}

/** A text that every format and every database takes: no lone surrogates, NUL shown as `␀`. */
export function sanitiseText(text: string): string {
  const plain = text.includes('\0') ? text.replaceAll('\0', '␀') : text;
  return plain.toWellFormed();
}
