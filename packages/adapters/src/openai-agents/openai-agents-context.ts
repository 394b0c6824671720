import { openaiAgentsCodec } from '@throughline/core';
import { checkOptions } from '@throughline/core/internal';
import { followingOptions } from '../following/adapter-options.ts';
import { Conversations } from '../following/conversations.ts';
import { answerRecallIn, recallDefinition } from '../following/recall-tool.ts';
import { fittingModel, fittingSession } from './fitting.ts';
import type { AdapterOptions, StateStore } from '../following/adapter-options.ts';
import type { Followed, FollowedStep } from '../following/conversations.ts';
import type {
  AgentsModel,
  AgentsRequest,
  AgentsResponse,
  AgentsSession,
  CountedUsage,
  FilterArgs,
  InputFilter,
} from './fitting.ts';

/** The options of every adapter, and where states are kept. */
export interface OpenaiAgentsOptions extends AdapterOptions, StateStore {}

/** Options for the SDK's `tool()`. */
export interface RecallToolOptions {
  /** `recall`: placeholders and summaries name the tool so. */
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    type: 'object';
    properties: typeof recallDefinition.parameters.properties;
    required: [];
    additionalProperties: true;
  };
  readonly strict: false;
  /** Answers a call, for whatever the model hands in. Never throws. */
  readonly execute: (
    input: unknown,
    context?: unknown,
    details?: { toolCall?: { readonly callId: string } },
  ) => string;
}

/**
 * A model, a filter and a session that keep the requests of the SDK inside the window. Dispose of it to stop summaries
 * that are being written.
 */
export interface OpenaiAgentsContext extends Disposable {
  /**
   * A model whose every request fits, for `new Agent({ model })`: the way to take where one can choose. It sees
   * instructions, tools and usage, and what a session stores stays as it was said.
   */
  readonly model: <Request extends AgentsRequest, Response extends AgentsResponse, Event, Advice, Asked>(
    model: AgentsModel<Request, Response, Event, Advice, Asked>,
  ) => AgentsModel<Request, Response, Event, Advice, Asked>;
  /**
   * For `callModelInputFilter` of a run or a runner. The SDK shows it no usage: hand that of the last response to
   * `recordUsage`. A session of the SDK stores new input as the filter let it through: a message above a quarter of
   * the window is then stored truncated, or not at all. Beside a session, use `model`.
   */
  readonly callModelInputFilter: InputFilter;
  /** A session that keeps everything in another one and hands a run only what fits. */
  readonly session: <Item>(inner: AgentsSession<Item>) => AgentsSession<Item>;
  /** Takes in the count of the last request, where the filter is used and the object serves one conversation. */
  readonly recordUsage: (usage: CountedUsage | undefined) => Promise<void>;
  /** For the SDK's `tool()`; say `hasRecall` in the policy. */
  readonly recallTool: RecallToolOptions;
}

/** Keeps the requests of the OpenAI Agents SDK inside the window. One object may serve many conversations. */
export function openaiAgentsContext(options: OpenaiAgentsOptions): OpenaiAgentsContext {
  checkOptions<OpenaiAgentsOptions>('', options, followingOptions);
  const conversations = new Conversations(openaiAgentsCodec, options);
  const lastSteps = new WeakMap<Followed, FollowedStep>();
  const lastAnswers = new WeakMap<Followed, readonly unknown[]>();
  const filter: InputFilter = async <Item>({ modelData, agent }: FilterArgs<Item>) => {
    const { input, instructions } = modelData;
    const tools = agent.tools?.map(schemaOf) ?? [];
    const request = { tools, ...(instructions !== undefined && { system: instructions }) };
    const step = await conversations.fit(input, request);
    lastSteps.set(step.followed, step);
    return { ...modelData, input: step.isChanged ? ([...step.messages] as Item[]) : input };
  };
  return {
    model: (model) =>
      fittingModel(model, conversations, async (step, { usage, output }) => {
        lastAnswers.set(step.followed, output);
        await conversations.count(step, usage.inputTokens);
      }),
    callModelInputFilter: Object.assign(filter, { preserveInputIdentity: true }),
    session: (inner) => fittingSession(inner, conversations),
    async recordUsage(usage) {
      const followed = conversations.only();
      const last = followed && lastSteps.get(followed);
      if (last) await conversations.count(last, usage?.inputTokens);
    },
    recallTool: recallToolOf(conversations, (followed, callId) =>
      (lastAnswers.get(followed) ?? []).some((item) => callIdOf(item) === callId),
    ),
    [Symbol.dispose]: () => conversations.dispose(),
  };
}

/** The conversation is the one whose model has just made the call; beside the filter, the only one there is. */
function recallToolOf(
  conversations: Conversations,
  hasCalled: (followed: Followed, callId: string) => boolean,
): RecallToolOptions {
  const { name, description, parameters } = recallDefinition;
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: parameters.properties,
      required: [],
      additionalProperties: true,
    },
    strict: false,
    execute(input, _context, details) {
      const callId = details?.toolCall?.callId;
      const caller = callId === undefined ? undefined : conversations.find((one) => hasCalled(one, callId));
      return answerRecallIn((caller ?? conversations.only())?.snapshot, input);
    },
  };
}

function callIdOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'callId' in item ? item.callId : undefined;
}

/** What of a tool is sent: tools of the SDK also hold functions. */
function schemaOf(tool: unknown): unknown {
  if (typeof tool !== 'object' || tool === null) return tool;
  return Object.fromEntries(Object.entries(tool).filter(([, value]) => typeof value !== 'function'));
}
