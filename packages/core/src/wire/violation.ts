import type { Path } from '../json/json.ts';
import type { Role } from '../transcript/entry.ts';

/** Where in the checked list: index of the entry, and of the part among its parts. */
interface AtEntry {
  readonly entry: number;
}

interface AtPart extends AtEntry {
  readonly part: number;
}

interface AtCall extends AtPart {
  readonly callId: string;
}

/** One broken rule of a wire format. `rule` tells which; branch on it. */
export type Violation =
  /** A result without an open call of that id before it. */
  | ({ readonly rule: 'orphan-result' } & AtCall)
  /** A second result for a call. */
  | ({ readonly rule: 'duplicate-result' } & AtCall)
  /** A client call without a result. */
  | ({ readonly rule: 'missing-result' } & AtCall)
  /** A result that does not stand in the message(s) right after its call (`callEntry`). */
  | ({ readonly rule: 'late-result'; readonly callEntry: number } & AtCall)
  /** A result behind other content of its message. */
  | ({ readonly rule: 'results-first' } & AtCall)
  /** Only one half of a call that the provider runs itself. */
  | ({ readonly rule: 'split-pair' } & AtCall)
  /** A call, result or reasoning in a message whose role cannot carry it. */
  | ({ readonly rule: 'misplaced-part' } & AtPart)
  | ({ readonly rule: 'duplicate-call-id' } & AtCall)
  /** A call id that the format's pattern or the encoding refuses. */
  | ({ readonly rule: 'bad-call-id' } & AtCall)
  | ({ readonly rule: 'empty-message' } & AtEntry)
  | ({ readonly rule: 'empty-text' } & AtPart)
  /** White space at the end of the last message, which is the assistant's. */
  | ({ readonly rule: 'trailing-space' } & AtPart)
  | ({ readonly rule: 'reasoning-only' } & AtEntry)
  /** Reasoning that is only valid together with the item after it, which is not there. */
  | ({ readonly rule: 'reasoning-without-item' } & AtPart)
  /** `piece` is set when the media lies inside a result. */
  | ({ readonly rule: 'media-not-allowed'; readonly piece?: number } & AtPart)
  /** A text, id or value that is not well-formed Unicode; `at` leads to it in the wire message. */
  | ({ readonly rule: 'lone-surrogate'; readonly at: Path } & AtEntry)
  | ({ readonly rule: 'system-placement' } & AtEntry)
  | ({ readonly rule: 'first-not-user' } & AtEntry)
  /** The message has the role of the one before it. */
  | ({ readonly rule: 'consecutive-roles'; readonly role: Role } & AtEntry);

export type ViolationRule = Violation['rule'];
