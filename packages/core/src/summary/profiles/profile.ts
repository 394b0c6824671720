/** A section of the prose, as the summariser is asked for it. */
interface ProfileSection {
  readonly heading: string;
  /** What belongs into it, in words for the model. */
  readonly hint: string;
}

/** What a summary of a domain says. Plain data: a profile is stored with its job. */
export interface Profile {
  readonly name: string;
  /** In this order; without the sections that code writes. */
  readonly sections: readonly ProfileSection[];
  /** Rules of the domain, in words for the model. */
  readonly rules: readonly string[];
  /** The user's own prompt: takes the place of sections and rules. */
  readonly prompt?: string;
}
