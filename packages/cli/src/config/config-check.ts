import type { Config, ConfigFault, Want } from '@throughline/config';
import type { Searched } from './load-config.ts';

/** What `config check --json` prints, beside `version`. */
export interface ConfigCheck {
  readonly isValid: boolean;
  /** The file that was read; `null`: there is none, and the defaults hold. */
  readonly file: string | null;
  /** Every place that counts, in the order in which they are looked at. */
  readonly searched: readonly Searched[];
  /** Variables `THROUGHLINE_*` that set a key. */
  readonly variables: readonly string[];
  /** With every default filled in and secrets hidden; `null` where there are faults. */
  readonly config: Config | null;
  readonly faults: readonly ConfigFault[];
  readonly warnings: readonly ConfigFault[];
  /** Keys of the file that do not count until somebody trusts it; absent where there are none. */
  readonly untrusted?: readonly Want[];
}
