export interface JudgeOptions {
  /** `send`: every call must have its result. `open`: a trailing response may wait for its results. */
  readonly ending: 'send' | 'open';
  /** Also the rule that the first message that is not the system's is the user's, in formats that do not demand it. */
  readonly wantsUserFirst?: boolean;
}

/** Notes one fault of the message at an index; the length of the list stands for its end. */
export type Report = (index: number, fault: string) => void;
