import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { emptyState } from '@throughline/core';
import { fitMessages, recallTool } from '../src/anthropic/index.ts';
import { chatRecallTool, fitChat, fitResponses, responsesRecallTool } from '../src/openai/index.ts';
import { accept, OverflowError } from './long-agent.ts';
import type { ContextState } from '@throughline/core';
import type { JudgedFormat } from '@throughline/testkit';
import type { FitOptions } from '../src/openai/index.ts';
import type { Requests } from './long-agent.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a fake server says next. */
export type Script = () => { readonly text?: string; readonly call?: Call };

/** A conversation through the real client of a provider, whose server is a script. */
interface Talk {
  readonly history: unknown[];
  state: ContextState;
  /** Says something as the user. */
  say(text: string): void;
  /** One request; the call the model made, if any. */
  ask(options: FitOptions): Promise<Call | undefined>;
  /** Answers a call. */
  answer(call: Call, text: string): void;
  /** What the recall tool answered to the last request. */
  recall(input: unknown): string;
}

export interface Provider {
  readonly name: string;
  readonly format: JudgedFormat;
  readonly open: (requests: Requests, script: Script) => Talk;
}

type Body = Readonly<Record<string, unknown>>;

/** A server behind `fetch`: it counts what it gets, refuses what is too long as the provider would, and follows the script. */
function serve(
  requests: Requests,
  {
    inputOf,
    refusal,
    reply,
  }: {
    readonly inputOf: (body: Body) => readonly unknown[];
    readonly refusal: (error: OverflowError) => unknown;
    readonly reply: (inputTokens: number) => unknown;
  },
): typeof fetch {
  return async (_url, init) => {
    const body = JSON.parse(init?.body as string) as Body;
    try {
      const tokens = accept(requests, inputOf(body), body['system'], body['tools']);
      return Response.json(reply(tokens));
    } catch (error) {
      if (!(error instanceof OverflowError)) throw error;
      return Response.json(refusal(error), { status: 400 });
    }
  };
}

const key = { apiKey: 'none', maxRetries: 0, baseURL: 'http://127.0.0.1:9/v1' };
const openaiRefusal = ({ message }: OverflowError): unknown => ({
  error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' },
});

const chat: Provider = {
  name: 'OpenAI chat',
  format: 'openai-chat',
  open(requests, script) {
    const fetch = serve(requests, {
      inputOf: ({ messages }) => messages as unknown[],
      refusal: openaiRefusal,
      reply(tokens) {
        const { text = null, call } = script();
        const toolCall = call && {
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(call.input) },
        };
        const message = { role: 'assistant', content: text, ...(toolCall && { tool_calls: [toolCall] }) };
        return { choices: [{ index: 0, message }], usage: { prompt_tokens: tokens } };
      },
    });
    const client = new OpenAI({ ...key, fetch });
    const history: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: 'You are careful.' }];
    let answerRecall = (_input: unknown): string => '';
    return {
      history,
      state: emptyState(),
      say: (content) => void history.push({ role: 'user', content }),
      async ask(options) {
        const tools = [chatRecallTool];
        let fitted = await fitChat(history, this.state, { ...options, tools });
        const send = () => client.chat.completions.create({ model: 'm', messages: fitted.messages, tools });
        const reply = await send().catch(async (error: unknown) => {
          if (!(error instanceof OpenAI.APIError) || error.code !== 'context_length_exceeded') throw error;
          fitted = await fitted.smaller(Number(/> (\d+)/.exec(error.message)?.[1]));
          return send();
        });
        this.state = fitted.stateAfter(reply.usage);
        answerRecall = fitted.recall;
        const message = reply.choices[0]!.message;
        history.push(message);
        const call = message.tool_calls?.[0];
        return call?.type === 'function'
          ? { id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }
          : undefined;
      },
      answer: ({ id }, content) => void history.push({ role: 'tool', tool_call_id: id, content }),
      recall: (input) => answerRecall(input),
    };
  },
};

const responses: Provider = {
  name: 'OpenAI responses',
  format: 'openai-responses',
  open(requests, script) {
    const fetch = serve(requests, {
      inputOf: ({ input }) => input as unknown[],
      refusal: openaiRefusal,
      reply(tokens) {
        const { text, call } = script();
        const id = call?.id ?? 'last';
        const said = { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed' };
        return {
          id: 'resp',
          output: [
            { type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: 'sealed'.repeat(20) },
            ...(text === undefined
              ? []
              : [{ ...said, content: [{ type: 'output_text', text, annotations: [] }] }]),
            ...(call
              ? [
                  {
                    type: 'function_call',
                    id: `fc_${id}`,
                    call_id: id,
                    name: call.name,
                    arguments: JSON.stringify(call.input),
                    status: 'completed',
                  },
                ]
              : []),
          ],
          usage: { input_tokens: tokens, output_tokens: 10 },
        };
      },
    });
    const client = new OpenAI({ ...key, fetch });
    const history: OpenAI.Responses.ResponseInputItem[] = [];
    let answerRecall = (_input: unknown): string => '';
    return {
      history,
      state: emptyState(),
      say: (content) => void history.push({ role: 'user', content }),
      async ask(options) {
        const tools = [responsesRecallTool];
        let fitted = await fitResponses(history, this.state, { ...options, tools });
        const send = () =>
          client.responses.create({ model: 'm', input: fitted.messages, tools, store: false });
        const reply = await send().catch(async (error: unknown) => {
          if (!(error instanceof OpenAI.APIError) || error.code !== 'context_length_exceeded') throw error;
          fitted = await fitted.smaller(Number(/> (\d+)/.exec(error.message)?.[1]));
          return send();
        });
        this.state = fitted.stateAfter(reply.usage);
        answerRecall = fitted.recall;
        history.push(...(reply.output as OpenAI.Responses.ResponseInputItem[]));
        const call = reply.output.find((item) => item.type === 'function_call');
        return call && { id: call.call_id, name: call.name, input: JSON.parse(call.arguments) };
      },
      answer: ({ id }, output) => void history.push({ type: 'function_call_output', call_id: id, output }),
      recall: (input) => answerRecall(input),
    };
  },
};

const anthropic: Provider = {
  name: 'Anthropic',
  format: 'anthropic',
  open(requests, script) {
    const fetch = serve(requests, {
      inputOf: ({ messages }) => messages as unknown[],
      refusal: ({ message }) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
      reply(tokens) {
        const { text, call } = script();
        const content = [
          { type: 'thinking', thinking: 'Which file next?', signature: 'sealed'.repeat(20) },
          ...(text === undefined ? [] : [{ type: 'text', text }]),
          ...(call ? [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }] : []),
        ];
        const usage = { input_tokens: 4, cache_read_input_tokens: tokens - 4, output_tokens: 10 };
        return { id: 'msg', type: 'message', role: 'assistant', content, usage };
      },
    });
    const client = new Anthropic({ ...key, fetch });
    const history: Anthropic.MessageParam[] = [];
    const system = 'You are careful.';
    let answerRecall = (_input: unknown): string => '';
    return {
      history,
      state: emptyState(),
      say: (content) => void history.push({ role: 'user', content }),
      async ask(options) {
        const tools = [recallTool];
        let fitted = await fitMessages(history, this.state, { ...options, tools, system });
        const send = () =>
          client.messages.create({ model: 'm', max_tokens: 100, messages: fitted.messages, system, tools });
        const reply = await send().catch(async (error: unknown) => {
          const limit = /prompt is too long: \d+ tokens > (\d+)/.exec(String(error))?.[1];
          if (limit === undefined) throw error;
          fitted = await fitted.smaller(Number(limit));
          return send();
        });
        this.state = fitted.stateAfter(reply.usage);
        answerRecall = fitted.recall;
        history.push({ role: 'assistant', content: reply.content });
        return reply.content.find((block) => block.type === 'tool_use');
      },
      answer: ({ id }, content) =>
        void history.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }),
      recall: (input) => answerRecall(input),
    };
  },
};

export const providers: readonly Provider[] = [chat, responses, anthropic];
