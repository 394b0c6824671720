/** What the process that is measured can be told to do. */
export interface Duties {
  addresses(): { readonly server: string; readonly bare: string };
  memory(): Memory;
  createSessions(request: { readonly count: number }): Promise<readonly string[]>;
  firstEvents(request: { readonly count: number }): Promise<readonly number[]>;
  streams(request: { readonly count: number }): Promise<{ readonly ms: number; readonly events: number }>;
  tellTime(request: { readonly ids: readonly string[]; readonly perSecond: number }): Promise<void>;
  stopTelling(): void;
  /** Events for the journal of a session, of so many characters each. */
  fill(request: { readonly id: string; readonly events: number; readonly size: number }): Promise<void>;
  stop(): Promise<void>;
}

export interface Memory {
  readonly heapMB: number;
  readonly residentMB: number;
}

export interface Duty {
  readonly id: number;
  readonly name: keyof Duties;
  readonly request: unknown;
}

export interface ServedOptions {
  readonly driver: 'demo' | 'played' | 'ai-sdk';
  /** Pieces of an answer of the models that are played. */
  readonly parts: number;
}
