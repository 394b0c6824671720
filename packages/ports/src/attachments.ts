/** Bytes and long texts beside the messages. They live as long as a session that refers to them. */
export interface Attachments {
  /**
   * Stores bytes for a session; the hash is their name. A message refers to them as `@blob:` with the hash.
   *
   * @throws {ContextError} `not-found` when there is no such session.
   */
  keep(sessionId: string, bytes: Uint8Array): Promise<string>;
  /** The bytes, where this session refers to them. */
  read(sessionId: string, hash: string): Promise<Uint8Array | undefined>;
  /** Stores the whole of an output that a result shows in part; resolves to its recall id. `search` finds it too. */
  keepOutput(sessionId: string, callId: string, text: string): Promise<string>;
}
