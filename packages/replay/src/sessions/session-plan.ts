import type { SessionToReplay } from './session-to-replay.ts';
import type { MessageReader, SeenMessage } from './message-text.ts';

/** One entity that a step uses and that the history knew. */
export interface Use {
  readonly entity: string;
  /** Position in H_k, in messages of the session, of the last mention. */
  readonly lastMention: number;
  readonly isFar: boolean;
  readonly isLocator: boolean;
}

/** One recorded response: what lay before it, and what it uses. The same for every contender. */
export interface PlannedStep {
  /** H_k: the first `historyLength` messages. */
  readonly historyLength: number;
  /** Time since the step before, where the recording says so. */
  readonly gapMs?: number;
  /** Recall, survival, ledger and errors are measured here; everything else at every step. */
  readonly isMeasured: boolean;
  /** U_k. */
  readonly uses: readonly Use[];
  /** How many of the plan's texts, sentences and files lie in H_k. */
  readonly userTextCount: number;
  readonly ruleCount: number;
  readonly fileCount: number;
  /** The last line of the newest failure that nothing has settled. */
  readonly unresolvedError?: string;
}

/** A text the user wrote. */
export interface UserText {
  readonly text: string;
  readonly tokens: number;
  readonly messageIndex: number;
}

/** What of the recorded session the rules on signed reasoning need. */
export interface SignedReasoning {
  /** JSON of every signed reasoning part. */
  readonly parts: ReadonlySet<string>;
  /** Call ids of the messages that came with signed reasoning. */
  readonly callIds: ReadonlySet<string>;
}

/** A session prepared for replay. */
export interface SessionPlan {
  readonly session: SessionToReplay;
  readonly reader: MessageReader;
  readonly seen: readonly SeenMessage[];
  readonly steps: readonly PlannedStep[];
  /** In order of their first place; a step sees a prefix of each. */
  readonly userTexts: readonly UserText[];
  readonly rules: readonly string[];
  readonly files: readonly string[];
  readonly signedReasoning: SignedReasoning;
}
