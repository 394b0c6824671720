import type { Conversations, FollowedStep } from '../following/conversations.ts';

/** Told of each answer and of the request it answers. */
type OnAnswer = (step: FollowedStep, answer: AgentsResponse) => Promise<void>;

/** A model whose every request fits. What it is asked while the server holds the history is passed through. */
export function fittingModel<
  Request extends AgentsRequest,
  Response extends AgentsResponse,
  Event,
  Advice,
  Asked,
>(
  model: AgentsModel<Request, Response, Event, Advice, Asked>,
  conversations: Conversations,
  onAnswer: OnAnswer,
): AgentsModel<Request, Response, Event, Advice, Asked> {
  return {
    ...(model.supportsPromptModelSelection !== undefined && {
      supportsPromptModelSelection: model.supportsPromptModelSelection,
    }),
    ...(model.getRetryAdvice && {
      getRetryAdvice: (asked: Asked) => model.getRetryAdvice?.(asked) as Advice,
    }),
    async getResponse(request) {
      const { step, told } = await fitRequest(conversations, request);
      const response = await model.getResponse(told);
      if (step) await onAnswer(step, response);
      return response;
    },
    async *getStreamedResponse(request) {
      const { step, told } = await fitRequest(conversations, request);
      for await (const event of model.getStreamedResponse(told)) {
        const answer = step && answerOf(event);
        if (answer) await onAnswer(step, answer);
        yield event;
      }
    },
  };
}

async function fitRequest<Request extends AgentsRequest>(
  conversations: Conversations,
  request: Request,
): Promise<{ readonly step?: FollowedStep; readonly told: Request }> {
  const { input, systemInstructions: system, tools, signal } = request;
  if (request.conversationId !== undefined || request.previousResponseId !== undefined)
    return { told: request };
  const items = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
  const step = await conversations.fit(items, {
    tools,
    ...(system !== undefined && { system }),
    ...(signal && { signal }),
  });
  return { step, told: step.isChanged ? { ...request, input: step.messages } : request };
}

/** The event that ends a stream carries the whole answer. */
function answerOf(event: unknown): AgentsResponse | undefined {
  const isDone =
    typeof event === 'object' && event !== null && 'type' in event && event.type === 'response_done';
  return isDone && 'response' in event ? (event.response as AgentsResponse) : undefined;
}

/** What a session may offer beside, and what holds as well for one that hands out less. */
const offered = [
  'prepareHistoryItemForModelInput',
  'preserveReasoningItemIdsForPersistence',
  'applyHistoryMutations',
] as const;

/**
 * A session that keeps everything in another one and hands a run only what fits. With a limit it returns the newest
 * items as they are stored.
 */
export function fittingSession<Item>(
  inner: AgentsSession<Item>,
  conversations: Conversations,
): AgentsSession<Item> {
  return {
    ...offersOf(inner),
    getSessionId: () => inner.getSessionId(),
    async getItems(limit) {
      const items = await inner.getItems(limit);
      if (limit !== undefined || items.length === 0) return items;
      const { messages } = await conversations.fit(items, { ending: 'open' });
      return [...messages] as Item[];
    },
    addItems: (items) => inner.addItems(items),
    popItem: () => inner.popItem(),
    clearSession: () => inner.clearSession(),
  };
}

function offersOf(inner: object): object {
  const offers = inner as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    offered.flatMap((name) => {
      const offer = offers[name];
      return typeof offer === 'function' ? [[name, offer.bind(inner) as unknown]] : [];
    }),
  );
}

/**
 * What the adapter reads of the SDK's protocol. Written out, so that it fits every version whose types agree on it, and
 * the SDK need not be installed for its sake.
 */
export interface CountedUsage {
  readonly inputTokens: number;
}

/** What the SDK hands to the filter, as far as the adapter reads it. */
export interface FilterArgs<Item> {
  readonly modelData: { readonly input: Item[]; readonly instructions?: string };
  readonly agent: { readonly tools?: readonly unknown[] };
}

/** What the filter hands back: items that fit, and the instructions as they came. */
export interface FilteredData<Item> {
  input: Item[];
  instructions?: string;
}

/** The call-model input filter. It changes no item, so the SDK need not copy them for it. */
export interface InputFilter {
  <Item>(args: FilterArgs<Item>): Promise<FilteredData<Item>>;
  preserveInputIdentity?: boolean;
}

/**
 * A request to a model, as far as the adapter reads it. One with `previousResponseId` or `conversationId` goes on as it
 * is: the server holds its history.
 */
export interface AgentsRequest<Item = unknown> {
  input: string | Item[];
  systemInstructions?: string;
  tools: readonly unknown[];
  previousResponseId?: string;
  conversationId?: string;
  signal?: AbortSignal;
}

/** An answer of a model, as far as the adapter reads it. */
export interface AgentsResponse {
  usage: CountedUsage;
  output: readonly unknown[];
}

/** A model of the SDK, as far as the adapter calls it. */
export interface AgentsModel<Request, Response, Event, Advice, Asked> {
  readonly supportsPromptModelSelection?: boolean;
  getResponse(request: Request): Promise<Response>;
  getStreamedResponse(request: Request): AsyncIterable<Event>;
  getRetryAdvice?(asked: Asked): Advice;
}

/** A session of the SDK, as far as the adapter calls it. */
export interface AgentsSession<Item> {
  getSessionId(): Promise<string>;
  getItems(limit?: number): Promise<Item[]>;
  addItems(items: Item[]): Promise<void>;
  popItem(): Promise<Item | undefined>;
  clearSession(): Promise<void>;
}
