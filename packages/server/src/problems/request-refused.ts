import type { Fault, ProblemCode } from '@throughline/protocol';

interface RefusalOptions {
  readonly faults?: readonly Fault[];
  readonly data?: Readonly<Record<string, unknown>>;
  /** Of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that is not served, and why. It never leaves the server as anything but problem details. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly code: ProblemCode;
  readonly faults: readonly Fault[] | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, message: string, { faults, data, headers = {} }: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.faults = faults;
    this.data = data;
    this.headers = headers;
  }
}
