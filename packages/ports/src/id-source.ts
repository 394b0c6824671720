/** Makes ids that are unique over all processes that share a store. */
export interface IdSource {
  /** @param kind what it is for (`message`, `session`, `inbox` …); may be part of the id. */
  nextId(kind: string): string;
}
