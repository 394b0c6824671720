import { createStrategy } from '@throughline/core';
import { checkSettings } from './check-agent-options.ts';
import type { AgentSettings, AgentSetup, SummariserChoice } from './agent-options.ts';
import type { Strategy } from '@throughline/core';

/** The settings of all sessions of an agent. */
export interface Settings {
  get(): AgentSettings & { readonly strategy: Strategy; readonly summariser: SummariserChoice };
  /**
   * Changes what is named and leaves the rest; in open sessions it holds from the next step on.
   *
   * @throws {ContextError} `invalid-option` that names it; nothing has changed then.
   */
  set(changed: AgentSettings): void;
}

type Open<Value> = { -readonly [Field in keyof Value]: Value[Field] };

const usual = createStrategy('reactive-overflow');

/** Settings that are read anew from the setup whenever a session needs them; `onChange` is told of each change. */
export function liveSettings(setup: AgentSetup, onChange: () => void): Settings {
  const open = setup as Open<AgentSetup>;
  return {
    get() {
      const { strategy = usual, ...others } = setup.context ?? {};
      const { windowTokens, budget, auto, background, showsBudget } = others;
      return {
        strategy,
        ...(windowTokens === undefined ? {} : { windowTokens }),
        ...(budget === undefined ? {} : { budget }),
        auto: auto ?? true,
        background: background ?? true,
        showsBudget: showsBudget ?? false,
        summariser: setup.summariser ?? { type: 'code' },
      };
    },
    set(changed) {
      checkSettings(changed);
      const { summariser, ...context } = changed;
      if (summariser) open.summariser = summariser;
      open.context = { ...setup.context, ...context };
      onChange();
    },
  };
}
