import type { Conversations, FollowedStep } from '../following/conversations.ts';
import type { AgentsModel, AgentsRequest, AgentsResponse } from './agents-protocol.ts';

/** Told of each answer and of the request it answers. */
export type OnAnswer = (step: FollowedStep, answer: AgentsResponse) => Promise<void>;

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
