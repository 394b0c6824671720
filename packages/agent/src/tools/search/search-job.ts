/** What a search worker is asked. Plain data. */
export interface SearchJob {
  readonly type: 'grep' | 'glob';
  readonly base: string;
  readonly byHandle: boolean;
  /** One file instead of a folder: its name as it is shown. `base` is then the file. */
  readonly fileName?: string;
  /** `grep`: a regular expression; `glob`: a glob. */
  readonly pattern: string;
  /** `grep`: only files that match this glob. */
  readonly fileGlob?: string;
  readonly ignoreCase?: boolean;
  /** `grep`: lines shown around a match. */
  readonly contextLines?: number;
  readonly includeIgnored: boolean;
  /** Paths below `base`, with `/`, that are kept out of sight. */
  readonly secrets: readonly string[];
  /** `grep`: patterns of names that are passed over, unless the search is of one file. */
  readonly privateFiles: readonly string[];
  /** `grep`: only the paths of files with a match. */
  readonly filesOnly?: boolean;
  readonly maxMatches: number;
  readonly maxLineLength: number;
}

export interface SearchEnd {
  readonly type: 'end';
  readonly matches: number;
  readonly files: number;
  readonly skippedBinary: number;
  readonly skippedLarge: number;
  /** Paths of files that were passed over because they may hold secrets; the first of them. */
  readonly skippedPrivate: readonly string[];
  /** Why not everything was looked at. */
  readonly stopped?: 'matches' | 'entries';
}

/** What a search worker says: lines as it finds them, then how it ended. */
export type SearchMessage =
  | { readonly type: 'lines'; readonly lines: readonly string[]; readonly matches: number }
  | SearchEnd
  | { readonly type: 'wrong'; readonly message: string };
