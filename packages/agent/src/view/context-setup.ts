import {
  createStrategy,
  defaultLimitsOf,
  findModel,
  mediaPricings,
  modelLimits,
  pricingOf,
} from '@throughline/core';
import { steadyDriver } from '../stream/steady-driver.ts';
import { mediaOf } from '../media/media-of.ts';
import type { Estimator, ModelLimits, Policy, Pricing, Strategy, WireLimits } from '@throughline/core';
import type { Driver, ModelDriver, ModelTool } from '@throughline/ports';
import type { AgentOptions, SessionPrompt } from '../agent/agent-options.ts';

/** Everything that follows from the model a session works with. */
export interface ContextSetup {
  readonly driver: ModelDriver;
  readonly policy: Policy;
  readonly prompt: SessionPrompt;
  readonly limits: ModelLimits;
  readonly media: (typeof mediaPricings)[keyof typeof mediaPricings] | undefined;
  readonly estimator: Estimator | undefined;
  /** What a request may weigh beside its tokens; `undefined`: nobody knows. */
  readonly wire: WireLimits | undefined;
  /** Writes prose; `undefined`: summaries are digests. */
  readonly summariser: Driver | undefined;
}

/** @param strategy in place of the agent's own. */
export function contextSetupOf(
  options: AgentOptions,
  driver: ModelDriver,
  strategy?: Strategy,
): ContextSetup {
  const { context = {} } = options;
  const limits = modelLimits({
    model: driver.model,
    endpoint: 'hosted',
    ...(driver.limits ? { discovered: driver.limits } : {}),
    ...(context.windowTokens === undefined ? {} : { user: { windowTokens: context.windowTokens } }),
  });
  const entry = limits.model?.entry;
  const pricing = entry && pricingOf(entry);
  const tools = toolsOf(options, driver);
  const prompt = { system: options.instructions ?? '', tools };
  const { summariser, policy } = summariserOf(options, driver, { prompt, limits, pricing });
  return {
    driver,
    prompt,
    limits,
    media: entry && mediaPricings[entry.media],
    estimator: context.estimator,
    wire: context.wire ?? mediaOf(driver).request,
    summariser,
    policy: {
      strategy: strategy ?? context.strategy ?? createStrategy('reactive-overflow'),
      budget: {
        ...context.budget,
        windowTokens: limits.window.tokens,
        maxOutputTokens: limits.maxOutput.tokens,
        ...(limits.maxInput ? { maxInputTokens: limits.maxInput.tokens } : {}),
        ...(options.request?.maxOutputTokens === undefined
          ? {}
          : { requestMaxTokens: options.request.maxOutputTokens }),
      },
      summariser: policy,
      hasRecall: tools.some(({ name }) => name === 'recall'),
      ...(context.auto === undefined ? {} : { auto: context.auto }),
      ...(context.background === undefined ? {} : { background: context.background }),
      ...(context.profile ? { profile: context.profile } : {}),
      ...(pricing ? { pricing } : {}),
      ...(entry && entry.reasoningBinding !== 'none' ? { reasoningBinding: entry.reasoningBinding } : {}),
      ...(options.limitsOf ? { limitsOf: limitsFor(options.limitsOf) } : {}),
    },
  };
}

/** None for a model that takes none. */
function toolsOf({ tools = [] }: AgentOptions, driver: ModelDriver): readonly ModelTool[] {
  const canCall = driver.abilities?.hasTools ?? findModel(driver.model)?.entry.hasTools ?? true;
  if (!canCall) return [];
  return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}

interface Known {
  readonly prompt: SessionPrompt;
  readonly limits: ModelLimits;
  readonly pricing: Pricing | undefined;
}

function summariserOf(
  options: AgentOptions,
  driver: ModelDriver,
  { prompt, limits, pricing }: Known,
): { readonly summariser: Driver | undefined; readonly policy: NonNullable<Policy['summariser']> } {
  const { summariser = { type: 'digest' } } = options;
  if (summariser.type === 'digest') return { summariser: undefined, policy: { type: 'digest' } };
  if (summariser.type === 'model') {
    const { windowTokens } = summariser;
    const known = summariser.pricing ? { pricing: summariser.pricing } : {};
    return { summariser: summariser.driver, policy: { type: 'model', windowTokens, ...known } };
  }
  const windowTokens = limits.window.tokens;
  return {
    summariser: summariser.driverOf(steadyDriver(driver, options), prompt),
    policy: { type: 'model', windowTokens, canRide: pricing !== undefined },
  };
}

function limitsFor(own: NonNullable<AgentOptions['limitsOf']>): NonNullable<Policy['limitsOf']> {
  return (toolName) => ({
    ...defaultLimitsOf(toolName),
    ...(toolName === undefined ? {} : own(toolName)),
  });
}
