export interface CompactRequest {
  /** What the summary should pay attention to. */
  readonly focus?: string;
  /** A strategy by its name. */
  readonly strategy?: string;
}

/** What a compaction came to. */
export type CompactAnswer =
  | {
      readonly type: 'compacted';
      readonly checkpointId: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly messagesCompacted: number;
      readonly outputsPruned: number;
      readonly summary: string | null;
    }
  /** There was nothing to gain. */
  | { readonly type: 'nothing-to-do'; readonly tokens: number }
  | { readonly type: 'cannot-fit'; readonly usableTokens: number; readonly requestTokens: number }
  | { readonly type: 'cancelled' };

export type CompactionReason =
  | 'overflow'
  | 'threshold'
  | 'preflight'
  | 'provider-error'
  | 'model-switch'
  | 'background'
  | 'manual';

/** What a compaction took. */
export interface CompactionCost {
  readonly durationMs: number;
  readonly messagesCompacted: number;
  /** The model that wrote the summary; `null` where code did, or there is none. */
  readonly model: string | null;
  /** US dollars; `null` where no prices are known. */
  readonly usd: PassCost | null;
}

/** What making room costs and saves, in US dollars. */
export interface PassCost {
  /** What the next request costs more, because its prefix is another one. */
  readonly rewriteUsd: number;
  readonly summariserUsd: number;
  /** What every later request costs less, while the cache is warm. */
  readonly savedPerStepUsd: number;
  /** Requests after which it has paid for itself; `null` where it never does. */
  readonly breakEvenSteps: number | null;
}

/** A compaction that was made. */
export interface Compaction {
  readonly id: string;
  /** The one before it; `null` for the first. */
  readonly parent: string | null;
  readonly reason: CompactionReason;
  readonly strategy: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Round of the summary it made; `null` where it made none. */
  readonly round: number | null;
  readonly summary: string | null;
  /** Messages from `first` up to, and without, `end`, that it compacted; `null` where none. */
  readonly range: { readonly first: number; readonly end: number } | null;
  /** What it took; `null` where that is not known. */
  readonly cost: CompactionCost | null;
  readonly createdAtMs: number;
  /** What it did is part of what the model sees now. */
  readonly isInForce: boolean;
  /** `undo` takes it back: it is the newest in force, and what the model would see without it fits the window. */
  readonly canUndo: boolean;
  /** `redo` puts it in force again. */
  readonly canRedo: boolean;
}

export interface CompactionList {
  /** Oldest first, undone ones included. */
  readonly items: readonly Compaction[];
}

export interface CompactionState {
  readonly isCompacting: boolean;
  /** Compactions made so far, also undone ones. */
  readonly count: number;
  readonly lastAtMs: number | null;
  /** The newest that is in force; `null` where none is. */
  readonly last: Compaction | null;
}

export type UndoAnswer =
  | { readonly type: 'undone'; readonly checkpointId: string; readonly tokensAfter: number }
  | { readonly type: 'nothing-to-undo' }
  | { readonly type: 'refused'; readonly usableTokens: number; readonly viewTokens: number };

export interface RedoRequest {
  /** Which one, where several were made at the same place. @default the newest */
  readonly checkpointId?: string;
}

export type RedoAnswer =
  | { readonly type: 'redone'; readonly checkpointId: string; readonly tokensAfter: number }
  /** Nothing was taken back, or something else was compacted since. */
  | { readonly type: 'nothing-to-redo' };

export interface WhatIfRequest {
  /** Strategies by name. @default all */
  readonly strategies?: readonly string[];
}

/** What a compaction by one strategy would come to, its summary written by code. */
export interface WhatIf {
  readonly strategy: string;
  readonly outcome: CompactAnswer;
  /** Messages of the request, after it. */
  readonly messagesShown: number;
  /** `null` where no prices are known, or nothing would be done. */
  readonly cost: PassCost | null;
}

export interface WhatIfAnswer {
  readonly items: readonly WhatIf[];
}

/** A message as the model gets it. */
export interface ShownMessage {
  /** Its place in the history; `null` for what the program wrote in its place. */
  readonly ordinal: number | null;
  /** Something of it was pruned or truncated. */
  readonly isEdited: boolean;
  /** It is never compacted, pruned or truncated. */
  readonly isPinned: boolean;
  /** In the format of the model's server. */
  readonly message: unknown;
}

/** What the model sees now, and what it would see without the newest compaction. */
export interface CompareAnswer {
  readonly now: readonly ShownMessage[];
  readonly before: readonly ShownMessage[];
}
