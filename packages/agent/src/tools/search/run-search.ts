import { Worker } from 'node:worker_threads';
import { errorMessage } from '@throughline/core/internal';

interface SearchLimits {
  readonly timeoutMs: number;
  /** Most characters of lines that are taken. */
  readonly maxChars: number;
  readonly signal: AbortSignal;
}

export interface SearchResult {
  readonly lines: readonly string[];
  readonly matches: number;
  /** Absent when the search did not get to its end. */
  readonly end?: SearchEnd;
  readonly failure?: 'timed-out' | 'cancelled' | 'too-much' | { readonly message: string };
}

// Built, the worker lies beside this file as JavaScript.
const source = new URL('./search-worker.ts', import.meta.url);
const workerUrl = import.meta.url.endsWith('.ts') ? source : new URL('./search-worker.js', source);

/** Runs a search in a thread and ends the thread with it, also when it has caught fire. Keeps what it found until then. */
export async function runSearch(job: SearchJob, limits: SearchLimits): Promise<SearchResult> {
  const { promise, resolve } = Promise.withResolvers<Pick<SearchResult, 'end' | 'failure'>>();
  const lines: string[] = [];
  let matches = 0;
  let chars = 0;
  const take = (message: SearchMessage): void => {
    if (message.type === 'end') return resolve({ end: message });
    if (message.type === 'wrong') return resolve({ failure: { message: message.message } });
    lines.push(...message.lines);
    matches = message.matches;
    chars += message.lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (chars > limits.maxChars) resolve({ failure: 'too-much' });
  };
  const worker = new Worker(workerUrl, {
    workerData: job,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  worker.on('message', take);
  worker.on('error', (error) => resolve({ failure: { message: errorMessage(error) } }));
  worker.on('exit', () => resolve({ failure: { message: 'the search ended early' } }));
  const timer = setTimeout(() => resolve({ failure: 'timed-out' }), limits.timeoutMs);
  const cancel = (): void => resolve({ failure: 'cancelled' });
  limits.signal.addEventListener('abort', cancel, { once: true });
  if (limits.signal.aborted) cancel();
  try {
    return { lines, matches, ...(await promise) };
  } finally {
    clearTimeout(timer);
    limits.signal.removeEventListener('abort', cancel);
    await worker.terminate();
  }
}

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

interface SearchEnd {
  readonly type: 'end';
  readonly matches: number;
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
