import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { HeadTail } from '../output-text.ts';
import type { FileHandle } from 'node:fs/promises';
import type { WholeOutput } from '../tool.ts';

interface CommandOutputOptions {
  /** Characters held in memory. */
  readonly maxChars: number;
  /** More than `maxChars` goes to a file too, so that it can be kept whole. */
  readonly isKept: boolean;
  readonly emit: (delta: string) => void;
}

const maxWholeBytes = 64 * 1024 * 1024;
const liveEveryMs = 100;
const maxLiveChars = 16_384;

/**
 * The output of a command: head and tail in memory, the whole in a file of at most 64 MB once it is too long, and live
 * pieces at most ten times a second, of bounded size.
 */
export class CommandOutput implements AsyncDisposable {
  readonly #options: CommandOutputOptions;
  readonly #kept: HeadTail;
  #live = new HeadTail(maxLiveChars);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #folder: string | undefined;
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #isFileFull = false;
  #last: Promise<void> = Promise.resolve();

  constructor(options: CommandOutputOptions) {
    this.#options = options;
    this.#kept = new HeadTail(options.maxChars);
  }

  /** Pieces are taken one after the other, also from two streams. */
  add(text: string): Promise<void> {
    this.#last = this.#last.then(() => this.#take(text));
    return this.#last;
  }

  get isCut(): boolean {
    return this.#kept.isCut;
  }

  text(note: (leftOutChars: number) => string): string {
    return plainText(this.#kept.text(note));
  }

  /** Sends what waits to be sent. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const live = this.#live;
    this.#live = new HeadTail(maxLiveChars);
    const text = plainText(live.text((chars) => `\n[… ${chars} characters …]\n`));
    if (text !== '') this.#options.emit(text);
  }

  /** The whole output, where it is longer than what is in memory. Call it once, after the last `add`. */
  async whole(): Promise<WholeOutput | undefined> {
    await this.#last;
    if (!this.#file || this.#folder === undefined) return undefined;
    await this.#file.close();
    this.#file = undefined;
    return { type: 'file', path: join(this.#folder, 'output') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#last;
    await this.#file?.close();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #take(text: string): Promise<void> {
    const isFirstCut = !this.#kept.isCut && this.#kept.totalChars + text.length > this.#options.maxChars;
    const before = isFirstCut ? this.#kept.text(() => '') : '';
    this.#kept.add(text);
    this.#live.add(text);
    this.#timer ??= setTimeout(() => this.flush(), liveEveryMs);
    if (this.#kept.isCut && this.#options.isKept) await this.#spill(before + text);
  }

  /** A disk that is full costs the whole text, not the command. */
  async #spill(text: string): Promise<void> {
    if (this.#isFileFull) return;
    try {
      this.#folder ??= await mkdtemp(join(tmpdir(), 'throughline-output-'));
      this.#file ??= await open(join(this.#folder, 'output'), 'wx', 0o600);
      const bytes = Buffer.from(text);
      const room = maxWholeBytes - this.#fileBytes;
      this.#isFileFull = bytes.length > room;
      const written = this.#isFileFull
        ? Buffer.concat([bytes.subarray(0, room), Buffer.from('\n[… cut at 64 MB …]\n')])
        : bytes;
      await this.#file.writeFile(written);
      this.#fileBytes += written.length;
    } catch {
      this.#isFileFull = true;
    }
  }
}

function plainText(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r\n', '\n');
}
