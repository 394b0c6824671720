import type { RecordingNote } from '../recording.ts';

interface Seen {
  readonly line: number | undefined;
  readonly what: string;
  count: number;
}

/** Counts what a reader does not know, by type, and says so once per type. Types known to say nothing are quiet. */
export class UnreadTypes {
  readonly #quiet: ReadonlySet<string>;
  readonly #seen = new Map<string, Seen>();

  constructor(quiet: ReadonlySet<string>) {
    this.#quiet = quiet;
  }

  see(type: string, what: string, line?: number): void {
    if (this.#quiet.has(type)) return;
    const seen = this.#seen.get(type);
    if (seen) seen.count += 1;
    else this.#seen.set(type, { line, what, count: 1 });
  }

  notes(): RecordingNote[] {
    return [...this.#seen].map(([type, { line, what, count }]) => {
      const name = type === '' ? 'without a type' : `of type ${type}`;
      const first = line === undefined ? '' : '; this is the first';
      const note =
        count === 1
          ? `${article(what)} ${name} is not read`
          : `${count} ${what}s ${name} are not read${first}`;
      return line === undefined ? { note } : { line, note };
    });
  }
}

function article(what: string): string {
  return 'aeiou'.includes(what.charAt(0)) ? `an ${what}` : `a ${what}`;
}
