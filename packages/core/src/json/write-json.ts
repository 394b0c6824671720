/** Values nested deeper than this are not set out any more: their white space alone would be quadratic. */
const deepestIndent = 100;

interface Frame {
  readonly container: object;
  /** Names of the members of an object; `undefined` for an array. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  next: number;
  isEmpty: boolean;
}

/**
 * The JSON text of a value, as `JSON.stringify` writes it, at any depth of nesting. That one runs out of stack, and
 * takes quadratic time before it does; a value more than 500 levels deep is written without it, and what lies more
 * than 100 levels down in such a one then stands on one line. A value that JSON has no text for is `null`.
 *
 * @throws {TypeError} for a value that contains itself.
 */
export function writeJson(value: unknown, indent = ''): string {
  if (isDeeperThan(value, deepestForStack)) return new DeepWriter(indent).write(value);
  return JSON.stringify(value, null, indent) ?? 'null';
}

/** Values nested deeper than this are not left to the stack. */
const deepestForStack = 500;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  for (const key in value) {
    if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}

class DeepWriter {
  readonly #indent: string;
  readonly #pieces: string[] = [];
  readonly #frames: Frame[] = [];
  readonly #open = new Set<object>();

  constructor(indent: string) {
    this.#indent = indent;
  }

  write(root: unknown): string {
    this.#begin(plain(root));
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      if (frame.next < frame.size) this.#element(frame);
      else this.#end(frame);
    }
    return this.#pieces.join('');
  }

  #begin(value: unknown): void {
    if (typeof value !== 'object' || value === null) {
      this.#pieces.push(JSON.stringify(value) ?? 'null');
      return;
    }
    if (this.#open.has(value)) throw new TypeError('a value that contains itself has no JSON text');
    this.#open.add(value);
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    const size = Array.isArray(value) ? value.length : (keys?.length ?? 0);
    this.#frames.push({ container: value, keys, size, next: 0, isEmpty: true });
    this.#pieces.push(keys ? '{' : '[');
  }

  #element(frame: Frame): void {
    const key = frame.keys?.[frame.next];
    const value = plain((frame.container as Record<string | number, unknown>)[key ?? frame.next]);
    frame.next += 1;
    if (key !== undefined && isUnsayable(value)) return;
    if (!frame.isEmpty) this.#pieces.push(',');
    frame.isEmpty = false;
    this.#newLine(this.#frames.length);
    if (key !== undefined) this.#pieces.push(JSON.stringify(key), this.#isSetOut() ? ': ' : ':');
    this.#begin(value);
  }

  #end(frame: Frame): void {
    if (!frame.isEmpty) this.#newLine(this.#frames.length - 1);
    this.#pieces.push(frame.keys ? '}' : ']');
    this.#frames.pop();
    this.#open.delete(frame.container);
  }

  #newLine(depth: number): void {
    if (this.#isSetOut()) this.#pieces.push(`\n${this.#indent.repeat(depth)}`);
  }

  #isSetOut(): boolean {
    return this.#indent !== '' && this.#frames.length <= deepestIndent;
  }
}

/** What a date or an address says of itself. */
function plain(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || !('toJSON' in value) || typeof value.toJSON !== 'function') return value;
  return value.toJSON() as unknown;
}

function isUnsayable(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}
