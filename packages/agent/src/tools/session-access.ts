export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** The todo list of one session. */
export interface TodoStore {
  load(): Promise<readonly Todo[]>;
  save(todos: readonly Todo[]): Promise<void>;
}

export interface RecalledText {
  readonly id: string;
  readonly role?: string;
  readonly text: string;
}

export interface RecallHit {
  readonly id: string;
  readonly role?: string;
  /** The text around the hit. */
  readonly excerpt: string;
}

/** Everything archived in one session: messages, parts, whole outputs. */
export interface RecallSource {
  get(id: string): Promise<RecalledText | undefined>;
  /** Newest first. */
  search(query: string, limit: number): Promise<readonly RecallHit[]>;
}

/** A whole output that is too long for a result. A file is deleted once it is kept. */
export type WholeOutput =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly path: string; readonly sizeBytes: number };

/** Takes whole outputs that results show only in part. */
export interface OutputStore {
  /** Copies the output; resolves to the id under which the session's `RecallSource` returns it. */
  keep(callId: string, output: WholeOutput): Promise<string>;
}

/** What tools may use of the session they work for. Absent: the session does not offer it. */
export interface SessionAccess {
  readonly todos?: TodoStore;
  readonly recall?: RecallSource;
  readonly outputs?: OutputStore;
}
