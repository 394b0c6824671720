import type { RecallId } from './entry.ts';

/** A text of a message that a compaction replaced: verbatim, or a part of it. */
export interface CarriedMessage {
  readonly recallId: RecallId;
  readonly text: string;
  readonly isTruncated: boolean;
}

/** Was the agent working when the compaction was made, or waiting for the user? */
type WaitState = 'working' | 'waiting-for-user';

/**
 * What a compaction knows, as data: the parts written by code, and the model's prose. The next compaction starts from it, so that
 * what was said in round 1 is still said in round 10, and a history that is only partly loaded gives the same text.
 * Plain JSON, bounded by what is usable of the window.
 */
export interface Summary {
  /** 1 for the first compaction of a history; each later pass merges its predecessors and counts one up. */
  readonly round: number;
  /** The task, where it was compacted itself and no view shows it any more; truncated where it is long. */
  readonly task?: CarriedMessage;
  readonly prose: string;
  readonly proseBy: 'model' | 'code' | 'none';
  /** Ordinal of the last message that the prose tells of; -1 where there is no prose. */
  readonly proseEnd: number;
  readonly profile: string;
  /** Messages this and all merged rounds archived. */
  readonly archivedMessages: number;
  /** Oldest first. */
  readonly timeline: readonly TimelineEntry[];
  readonly names: readonly NameSum[];
  readonly state: ProvenState;
  readonly waitState: WaitState;
}

/** A stretch of a text that is shown whole or not at all: a sentence, a line. */
export interface Piece {
  readonly text: string;
  /** What it says about later use; the best pieces are shown first. */
  readonly score: number;
  /** Something was left out in front of it. */
  readonly isAfterGap?: true;
}

/**
 * What a line of the timeline tells. `user`: the user's words. `answer`: what the user answered through a tool, with the
 * question; or the points that an answer by numbers stands for. `aside`: what tools wrote in the user's place; `output`: of that what
 * came of an action that is text; `instructions`: of that files, facts and summaries for the model. `told`: the
 * assistant's words to the user, at the end of its work. `said`: its words beside calls. `thought`: its reasoning beside
 * such words; where it says nothing its reasoning is `said`. `announced`: such words that only say which call comes.
 * `edit`: a change of files. `command`: a command that does something. `call`: any other call. `look`: a call that only
 * looks.
 */
export type LineKind =
  | 'user'
  | 'answer'
  | 'aside'
  | 'output'
  | 'instructions'
  | 'told'
  | 'said'
  | 'thought'
  | 'announced'
  | 'edit'
  | 'command'
  | 'call'
  | 'look';

export interface TimelineLine {
  readonly kind: LineKind;
  /** The call in one line; empty where somebody speaks. */
  readonly label: string;
  /** What was said or written. */
  readonly sent: readonly Piece[];
  /** What came back. */
  readonly got: readonly Piece[];
  /** The call failed. */
  readonly hasFailed?: true;
  /** The call looked for something that is not there; `label` ends with the line that says so. */
  readonly foundNothing?: true;
}

/** One message of the history as the timeline tells it. Plain JSON. */
export interface TimelineEntry {
  readonly recallId: RecallId;
  readonly lines: readonly TimelineLine[];
}

/** How often a name was mentioned, and when: what the fact index is ranked by. Plain JSON. */
export interface NameSum {
  readonly name: string;
  /** Mentions, each by its weight; and the same, each times the ordinal of its message. */
  readonly weight: number;
  readonly place: number;
  /** Ordinal of the message that named it last. */
  readonly last: number;
}

/** A command or call by its last outcome. */
export interface Outcome {
  /** What makes a later call the same. */
  readonly key: string;
  readonly recallId: RecallId;
  readonly label: string;
  /** The line that names a failure. */
  readonly line: string;
  readonly hasFailed: boolean;
  /** Of a check, what chose the lines of its output that came back (`| grep error`). */
  readonly filter?: string;
  /** What edit tools have changed since a check; not what a command has written. */
  readonly changedSince?: ChangedSince;
}

export interface ChangedSince {
  readonly files: number;
  readonly last: RecallId;
}

export interface RunningTask {
  readonly id: string;
  readonly recallId: RecallId;
  readonly label: string;
  /** What was started, where it is a command: how it went is known when its end is. */
  readonly command?: string;
  /** It was started by the shell (`server &`), and has no id of a tool: `id` is its program. */
  readonly isProgram?: true;
}

/** The last commit that was made in the session. */
export interface LastCommit {
  readonly recallId: RecallId;
  /** As git printed it: branch, hash and subject; where it printed nothing, the subject that the command gives it, or nothing. */
  readonly line: string;
  /** What git was told later that may have moved to another commit or taken edits back: the last such command. */
  readonly moved?: { readonly recallId: RecallId; readonly label: string };
  /** Files that an edit tool has changed since, the newest three, oldest first. */
  readonly changed: readonly string[];
}

/** What the history proves about where the work stands. */
export interface ProvenState {
  /** The todo list as a tool or a checklist stated it last. */
  readonly todos: {
    readonly recallId: RecallId;
    readonly open: readonly string[];
    readonly doneCount: number;
  } | null;
  /** A tool keeps the todo list. */
  readonly hasTodoTool?: true;
  /** Items of checklists that results have shown, the newest: who says the same of them in a later round quotes them. */
  readonly shownItems?: readonly string[];
  /** Commands that verify something (tests, builds, checks), each with its last outcome, oldest first. */
  readonly checks: readonly Outcome[];
  /** Failures that no later success of the same command or call has repaired, oldest first. */
  readonly failures: readonly Outcome[];
  /** Files that were written or edited, each at its last change, oldest first. Absent in states of older versions. */
  readonly files?: readonly ChangedFile[];
  readonly commit?: LastCommit;
  /** What was started in the background and nothing has said to have ended, oldest first. */
  readonly running?: readonly RunningTask[];
  /** What was made or changed outside the folder of the work, the newest few, oldest first. */
  readonly outside?: readonly MadeOutside[];
}

/** A push, a branch, an issue, a release … that a command or a tool has made. */
export interface MadeOutside {
  readonly recallId: RecallId;
  readonly label: string;
  /** The address or key that its output tells, where the label does not. */
  readonly place?: string;
}

export interface ChangedFile {
  readonly path: string;
  readonly recallId: RecallId;
}

/** The list of names and places behind a summary, as it is sent. */
export interface FactIndex {
  readonly text: string;
  readonly tokens: number;
}
