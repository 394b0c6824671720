import { createStrategy } from '@throughline/core';
import { definedIn } from '@throughline/core/internal';
import { checkSettings } from './check-agent-options.ts';
import { usualLimits } from './agent-options.ts';
import type { ApprovalRule } from '../tools/tool.ts';
import type { AgentSettings, AgentSetup, RunLimits, SummariserChoice } from './agent-options.ts';
import type { ModelDriver } from '@throughline/ports';
import type { Strategy } from '@throughline/core';

/** The settings of all sessions of an agent. */
export interface Settings {
  get(): AgentSettings & {
    readonly driver: ModelDriver;
    readonly strategy: Strategy;
    readonly summariser: SummariserChoice;
    readonly limits: RunLimits & Readonly<Record<keyof typeof usualLimits, number>>;
    readonly rules: Readonly<Record<string, ApprovalRule>>;
  };
  /**
   * Changes what is named and leaves the rest; in open sessions it holds from the next step on. `undefined` is what
   * holds where nobody said anything.
   *
   * @throws {ContextError} `invalid-option` that names it; nothing has changed then.
   */
  set(changed: { readonly [Name in keyof AgentSettings]: AgentSettings[Name] | undefined }): void;
}

type Open<Value> = { -readonly [Field in keyof Value]: Value[Field] };

const usual = createStrategy('reactive-overflow');

/** Settings that are read anew from the setup whenever a session needs them; `onChange` is told of each change. */
export function liveSettings(setup: AgentSetup, onChange: () => void): Settings {
  const open = setup as Open<AgentSetup>;
  const { driver: firstDriver } = setup;
  return {
    get() {
      const { strategy = usual, ...others } = setup.context ?? {};
      const { windowTokens, budget, byModel, auto, background, showsBudget } = others;
      return {
        strategy,
        ...(windowTokens === undefined ? {} : { windowTokens }),
        ...(budget === undefined ? {} : { budget }),
        ...(byModel === undefined ? {} : { byModel }),
        auto: auto ?? true,
        background: background ?? true,
        showsBudget: showsBudget ?? false,
        driver: setup.driver,
        summariser: setup.summariser ?? { type: 'code' },
        limits: { ...usualLimits, ...definedIn(setup.limits ?? {}) },
        rules: setup.approvals?.rules ?? {},
      };
    },
    set(changed) {
      checkSettings(changed);
      const { driver, summariser, limits, rules, ...context } = changed;
      if ('driver' in changed) open.driver = driver ?? firstDriver;
      if ('summariser' in changed) open.summariser = summariser ?? { type: 'code' };
      if ('limits' in changed) open.limits = definedIn(limits ?? {});
      if ('rules' in changed) open.approvals = { ...setup.approvals, rules: rules ?? {} };
      open.context = definedIn({ ...setup.context, ...context });
      onChange();
    },
  };
}
