import type { PromptPiece } from './prompt-tokens.ts';

/** What one request found in the cache and put into it, in tokens. */
export interface CacheUse {
  readonly prompt: number;
  readonly read: number;
  readonly created: number;
}

export interface CacheFigures {
  readonly requests: number;
  readonly promptTokens: number;
  readonly readTokens: number;
  readonly createdTokens: number;
  /** One entry for each answered request, in their order. */
  readonly uses: readonly CacheUse[];
}

/** Anthropic looks for an earlier entry at most so many blocks in front of a mark. */
const blocksBeforeMark = 20;

/**
 * The prompts that were sent, per model. Nothing is ever forgotten: the cache has no clock. Of what the real ones do,
 * a change of thinking or tool choice does not empty it here.
 */
export class PrefixCache {
  readonly #minimumTokens: number;
  readonly #known = new Map<string, Set<string>>();
  readonly #uses: CacheUse[] = [];

  constructor(minimumTokens: number) {
    this.#minimumTokens = minimumTokens;
  }

  figures(): CacheFigures {
    const sum = (of: (use: CacheUse) => number): number => this.#uses.reduce((all, use) => all + of(use), 0);
    return {
      requests: this.#uses.length,
      promptTokens: sum((use) => use.prompt),
      readTokens: sum((use) => use.read),
      createdTokens: sum((use) => use.created),
      uses: [...this.#uses],
    };
  }

  /** By itself, as at OpenAI and in local servers: the longest prefix of any earlier prompt. */
  useAll(model: string, pieces: readonly PromptPiece[]): CacheUse {
    const known = this.#of(model);
    const unknown = pieces.findIndex(({ key }) => !known.has(key));
    const read = this.#worth(tokensOf(pieces.slice(0, unknown === -1 ? pieces.length : unknown)));
    for (const { key } of pieces) known.add(key);
    return this.#note({ prompt: tokensOf(pieces), read, created: 0 });
  }

  /**
   * By marks, as at Anthropic: an entry is written at each mark and nowhere else, and read at a mark or at the end of
   * one of the blocks before it.
   */
  useMarks(model: string, pieces: readonly PromptPiece[]): CacheUse {
    const known = this.#of(`marks:${model}`);
    const ends = pieces.flatMap(({ endsPart }, index) => (endsPart ? [index] : []));
    const marks = ends.filter((end) => pieces[end]?.isMarked);
    const reach = marks.flatMap((mark) => {
      const at = ends.indexOf(mark);
      return ends.slice(Math.max(0, at - blocksBeforeMark), at + 1);
    });
    const upTo = (end: number): number => this.#worth(tokensOf(pieces.slice(0, end + 1)));
    const hits = reach.filter((end) => known.has(pieces[end]?.key ?? ''));
    const read = hits.length > 0 ? upTo(Math.max(...hits)) : 0;
    const written = marks.length > 0 ? upTo(Math.max(...marks)) : 0;
    for (const mark of marks) if (upTo(mark) > 0) known.add(pieces[mark]?.key ?? '');
    return this.#note({ prompt: tokensOf(pieces), read, created: Math.max(0, written - read) });
  }

  #worth(tokens: number): number {
    return tokens >= this.#minimumTokens ? tokens : 0;
  }

  #of(model: string): Set<string> {
    const known = this.#known.get(model) ?? new Set();
    this.#known.set(model, known);
    return known;
  }

  #note(use: CacheUse): CacheUse {
    this.#uses.push(use);
    return use;
  }
}

function tokensOf(pieces: readonly PromptPiece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0);
}
