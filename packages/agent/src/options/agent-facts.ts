import { ruleOf } from '../approvals/approvals.ts';
import { usualLimits } from './agent-options.ts';
import type { AgentFacts, AgentOptions } from './agent-options.ts';

/** Each field by its name: what is added to the options later is told to nobody before somebody decides it. */
export function factsOf({ driver, tools = [], approvals, limits = {} }: AgentOptions): AgentFacts {
  const { maxSteps, maxDurationMs, graceMs } = { ...usualLimits, ...limits };
  return {
    model: driver.name,
    tools: tools.map((tool) => ({ name: tool.name, approval: ruleOf(approvals?.rules, tool) })),
    limits: { maxSteps, maxDurationMs: maxDurationMs ?? null, graceMs },
  };
}
