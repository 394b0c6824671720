import type { BudgetInput } from '../budget/budget.ts';
import type { Binding } from '../transcript/entry.ts';
import type { Injection } from '../changes/change.ts';
import type { Pricing } from '../models/prices.ts';
import type { Profile } from '../summary/profiles/profile.ts';
import type { Strategy } from '../strategies/strategy.ts';
import type { ToolLimits } from '../stages/truncate-results.ts';
import type { WireLimits } from '../stages/wire-size.ts';

/** Everything the engine is told. One object for trigger, stages, summariser and display. */
export interface Policy {
  readonly strategy: Strategy;
  readonly budget: Omit<BudgetInput, 'triggerAt'>;
  /** Limits on bytes and media of a request, where the provider has some. Oldest media go first. @default none */
  readonly wire?: WireLimits;
  /** `false`: nothing is compacted unless the user asks. @default true */
  readonly auto?: boolean;
  /** Who writes the prose: a model asked through the host, or code. @default 'code' */
  readonly summariser?:
    | { readonly type: 'code' }
    | {
        readonly type: 'model';
        /** @default it is the session's own model: its window, with what is learned of it */
        readonly windowTokens?: number;
        /** @default that of the session's model */
        readonly pricing?: Pricing;
        /**
         * The host can put a question behind the messages it sent last (`ModelRequest.behind`), to the session's own
         * model. With `pricing` of the session the cheaper way is taken each time. @default false
         */
        readonly canUseCachedPrefix?: boolean;
      };
  /** What the model costs: then the report says what a pass costs and saves, and pruning waits until it pays. */
  readonly pricing?: Pricing;
  /** Summaries may be written ahead of need, from the soft threshold on. @default true */
  readonly background?: boolean;
  /** Sections and wording of the summary. @default the coding profile */
  readonly profile?: Profile;
  /** The host offers the `recall` tool, so placeholders may name it. @default false */
  readonly hasRecall?: boolean;
  /** Ordinals of messages that are never compacted, pruned or truncated. */
  readonly pins?: readonly number[];
  /** Limits per tool before the first send. @default those of `spec.md` E9 */
  readonly limitsOf?: (toolName: string | undefined) => ToolLimits;
  /** What the model's signed reasoning is bound to, where it is more than its own content. */
  readonly reasoningBinding?: Binding;
  /** @default 'pair' */
  readonly injection?: Injection;
}
