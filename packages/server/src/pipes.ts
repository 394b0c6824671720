import type { Readable, Writable } from 'node:stream';

/** Standard input and output, over which a protocol is spoken. */
export interface Pipes {
  readonly input: Readable;
  readonly output: Writable;
}
