import {
  createStrategy,
  findModel,
  mediaPricings,
  modelLimits,
  pricingOf,
  scriptAwareEstimator,
} from '@throughline/core';
import { agentCodec, countTools, defaultLimitsOf, mostReserveTokens } from '@throughline/core/internal';
import { systemClock, systemTimer, withIdleTimeout, withRetry } from '@throughline/ports';
import { mediaOf } from '../media/media-support.ts';
import type { Estimator, openTranscript, Policy, Pricing, Strategy } from '@throughline/core';
import type { ModelLimits, WireLimits } from '@throughline/core/types';
import type { Driver, ModelDriver, ModelTool } from '@throughline/ports';
import type { AgentOptions, ContextOptions, SessionPrompt } from '../options/agent-options.ts';
import type { Tool } from '../tools/tool.ts';

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
  /** Tools that are not told to the model, because they would take too much of its window. */
  readonly untoldTools: readonly string[];
  /** The same without tools that a model can do without; absent where there are none. */
  readonly withFewTools?: () => ContextSetup;
  /** Writes prose; `undefined`: code writes the summaries. */
  readonly summariser: Driver | undefined;
}

/** Share of the window: where the tools would take more, those that a model can do without are not told to it. */
const mostToolsShare = 0.15;

interface SetupChoice {
  /** In place of the agent's own. */
  readonly strategy?: Strategy | undefined;
  /** Without the tools that a model can do without, whatever the window. */
  readonly hasFewTools?: boolean;
}

export function contextSetupOf(
  options: AgentOptions,
  driver: ModelDriver,
  { strategy, hasFewTools = false }: SetupChoice = {},
): ContextSetup {
  const context = contextFor(driver, options);
  const limits = modelLimits({
    model: driver.model,
    endpoint: 'hosted',
    ...(driver.limits ? { discovered: driver.limits } : {}),
    ...(context.windowTokens === undefined ? {} : { user: { windowTokens: context.windowTokens } }),
  });
  const entry = limits.model?.entry;
  const pricing = entry && pricingOf(entry);
  const offered = toolsOf(options, driver);
  const isCrowded =
    countTools(offered.map(toldOf), scriptAwareEstimator) > mostToolsShare * limits.window.tokens;
  const left = hasFewTools || isCrowded ? offered.filter(({ isSpare }) => isSpare !== true) : offered;
  const tools = left.map(toldOf);
  const prompt = { system: options.instructions ?? '', tools };
  const { summariser, policy } = summariserOf(options, driver, { prompt, pricing });
  const untoldTools = offered.filter((tool) => !left.includes(tool)).map(({ name }) => name);
  const canDoWithFewer = left.some(({ isSpare }) => isSpare === true);
  return {
    driver,
    prompt,
    untoldTools,
    ...(canDoWithFewer
      ? { withFewTools: () => contextSetupOf(options, driver, { strategy, hasFewTools: true }) }
      : {}),
    limits,
    media: entry && mediaPricings[entry.media],
    estimator: context.estimator,
    wire: context.wire ?? mediaOf(driver).request,
    summariser,
    policy: {
      strategy: strategy ?? context.strategy ?? createStrategy('reactive-overflow'),
      budget: {
        ...budgetWithin(context.budget, limits, isWindowOfModel(driver, options)),
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

/**
 * What is set for models in general leaves room in a window that nobody has stated, or that was stated for one model
 * alone. Who states both for the same is told where they do not go together.
 */
function budgetWithin(
  budget: ContextOptions['budget'] = {},
  { window }: ModelLimits,
  isOfModel: boolean,
): NonNullable<ContextOptions['budget']> {
  const { outputReserveTokens, safetyTokens } = budget;
  if (outputReserveTokens === undefined || (window.source === 'user' && !isOfModel)) return budget;
  const most = mostReserveTokens({ windowTokens: window.tokens, safetyTokens });
  return { ...budget, outputReserveTokens: Math.min(outputReserveTokens, most) };
}

/** Whether a window is stated for this very model, and the reserve for all. */
function isWindowOfModel({ name }: ModelDriver, { context = {} }: AgentOptions): boolean {
  const { byModel = {} } = context;
  const own = Object.hasOwn(byModel, name) ? byModel[name] : undefined;
  return own?.windowTokens !== undefined && own.budget?.outputReserveTokens === undefined;
}

/** With what is said of this very model. */
function contextFor({ name }: ModelDriver, { context = {} }: AgentOptions): ContextOptions {
  const { byModel = {} } = context;
  const own = Object.hasOwn(byModel, name) ? byModel[name] : undefined;
  if (!own) return context;
  const { windowTokens = context.windowTokens, budget } = own;
  return {
    ...context,
    ...(windowTokens === undefined ? {} : { windowTokens }),
    budget: { ...context.budget, ...budget },
  };
}

/** None for a model that takes none. A call that would be denied in any case is a call for nothing. */
function toolsOf({ tools = [], approvals }: AgentOptions, driver: ModelDriver): readonly Tool[] {
  const canCall = driver.abilities?.hasTools ?? findModel(driver.model)?.entry.hasTools ?? true;
  if (!canCall) return [];
  const { rules = {} } = approvals ?? {};
  return tools.filter(
    ({ name, approval }) => (Object.hasOwn(rules, name) ? (rules[name] ?? approval) : approval) !== 'deny',
  );
}

function toldOf({ name, description, inputSchema }: Tool): ModelTool {
  return { name, description, inputSchema };
}

interface Known {
  readonly prompt: SessionPrompt;
  readonly pricing: Pricing | undefined;
}

function summariserOf(
  options: AgentOptions,
  driver: ModelDriver,
  { prompt, pricing }: Known,
): { readonly summariser: Driver | undefined; readonly policy: NonNullable<Policy['summariser']> } {
  const { summariser = { type: 'code' } } = options;
  if (summariser.type === 'code') return { summariser: undefined, policy: { type: 'code' } };
  if (summariser.type === 'model') {
    const { windowTokens } = summariser;
    const known = summariser.pricing ? { pricing: summariser.pricing } : {};
    return { summariser: summariser.driver, policy: { type: 'model', windowTokens, ...known } };
  }
  return {
    summariser: summariser.driverOf(steadyDriver(driver, options), prompt),
    policy: { type: 'model', canUseCachedPrefix: pricing !== undefined },
  };
}

function limitsFor(own: NonNullable<AgentOptions['limitsOf']>): NonNullable<Policy['limitsOf']> {
  return (toolName) => ({
    ...defaultLimitsOf(toolName),
    ...(toolName === undefined ? {} : own(toolName)),
  });
}

/**
 * The driver with what a run that nobody watches cannot do without, as far as it has it not already: a limit for
 * silence, and further tries of a step that failed before anything was seen of it.
 */
export function steadyDriver(
  driver: ModelDriver,
  options: Pick<AgentOptions, 'clock' | 'timer' | 'retry' | 'idle'>,
): ModelDriver {
  const { clock = systemClock, timer = systemTimer, retry = {}, idle = {} } = options;
  const { hasIdleLimit = false, hasRetry = false } = driver.guards ?? {};
  const watched = hasIdleLimit || idle === false ? driver : withIdleTimeout(driver, { ...idle, timer });
  return hasRetry || retry === false ? watched : withRetry(watched, { ...retry, clock, timer });
}

/** How a history is read under this setup. */
export function transcriptOptionsOf({
  prompt,
  media,
  estimator,
}: ContextSetup): Parameters<typeof openTranscript>[0] {
  return {
    codec: agentCodec,
    system: prompt.system,
    tools: prompt.tools,
    ...(media ? { media } : {}),
    ...(estimator ? { estimator } : {}),
  };
}
