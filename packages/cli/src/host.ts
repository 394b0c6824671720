import type { Driver } from '@throughline/ports';

/** A model server that speaks OpenAI Chat Completions. */
interface Endpoint {
  readonly model: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly timeoutMs: number;
}

/** What a command needs of the world around it; `main.ts` hands in the real one, tests a captured one. */
export interface Host {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Width of the output, in columns. */
  readonly columns: number;
  /** Standard output is a terminal that shows colours, and nobody forbade them. */
  readonly hasColor: boolean;
  /** Standard error is a terminal: progress may be shown. */
  readonly showsProgress: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From now on an interrupt from the keyboard aborts this signal; before, it ends the program. */
  readonly watchInterrupts: () => AbortSignal;
  /** Standard input as text. */
  readonly readInput: () => AsyncIterable<string>;
  readonly createDriver: (endpoint: Endpoint) => Promise<Driver>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
