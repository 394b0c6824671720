/** No API is at this address: waiting does not help, another address does. */
export class WrongAddressError extends Error {
  override readonly name = 'WrongAddressError';
}

/** A failure that a server told in its own words, where no SDK makes an error of it. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  /** What it told: a body, or the error in it. */
  readonly error: unknown;

  constructor(message: string, error?: unknown) {
    super(message);
    this.error = error;
  }
}
