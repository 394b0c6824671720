import type { ModelDriver } from '@throughline/ports';
import type { JudgedFormat } from '@throughline/testkit';
import type { Frame, Reply } from '../fake-server.ts';

/** An answer, whatever the provider. */
export interface Said {
  readonly reasoning?: readonly string[];
  readonly text?: readonly string[];
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: readonly string[];
  }[];
  readonly finish: 'stop' | 'length' | 'tool-calls' | 'refusal';
  readonly usage?: {
    /** The whole prompt. */
    readonly input: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly output: number;
    readonly reasoning: number;
  };
}

/** How one provider speaks, written by hand after its documentation and recorded streams. */
export interface Wire {
  readonly name: string;
  readonly format: JudgedFormat;
  readonly create: (url: string, apiKey?: string) => ModelDriver;
  /** The events of a whole answer, in order; the last is the end. */
  readonly say: (said: Said) => readonly string[];
  readonly errors: {
    readonly overflow: Reply;
    readonly rate: Reply;
    readonly auth: Reply;
    readonly down: Reply;
  };
  /** Events that tell of a failure behind a status 200. */
  readonly overflowInStream: readonly Frame[];
  readonly overloadedInStream: readonly Frame[];
  /** Counts that the format does not tell. */
  readonly silentOn: readonly ('cacheWrite' | 'reasoning')[];
}

export function dataEvent(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

export function namedEvent(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
