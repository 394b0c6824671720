import Anthropic from '@anthropic-ai/sdk';
import { createStrictUpstream, type StrictUpstream, type StrictUpstreamOptions } from '@throughline/testkit';
import OpenAI from 'openai';
import { onTestFinished } from 'vitest';

export interface OpenedUpstream {
  readonly upstream: StrictUpstream;
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  /** A body as it is, to a path. */
  readonly post: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
}

/** An upstream with the clients of the vendors, gone after the test. The clients try once. */
export async function openUpstream(options: StrictUpstreamOptions = {}): Promise<OpenedUpstream> {
  const upstream = await createStrictUpstream(options);
  onTestFinished(() => upstream.stop());
  return {
    upstream,
    openai: new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: 'test', maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: upstream.url, apiKey: 'test', maxRetries: 0 }),
    post: (path, body, headers) =>
      fetch(`${upstream.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

export interface Said {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly finish: string;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

export type Way = 'whole' | 'streamed';

export interface Speaker {
  readonly path: string;
  /** Asks with the vendor's own client. */
  readonly say: (opened: OpenedUpstream, text: string, way: Way) => Promise<Said>;
}

/** Each API through its vendor's client, whole and streamed, read into one form. */
export const speakers = {
  chat: {
    path: '/v1/chat/completions',
    say: async ({ openai }, text, way) => {
      const body = { model: 'm', messages: [{ role: 'user' as const, content: text }] };
      const { completion, thought } =
        way === 'whole' ? await wholeChat(openai, body) : await streamedChat(openai, body);
      const [choice] = completion.choices;
      const { usage } = completion;
      return {
        text: choice?.message.content ?? '',
        reasoning: thought,
        calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
          call?.type === 'function'
            ? [
                {
                  id: call.id,
                  name: call.function.name,
                  input: JSON.parse(call.function.arguments) as unknown,
                },
              ]
            : [],
        ),
        finish: choice?.finish_reason ?? '',
        input: usage?.prompt_tokens ?? 0,
        output: usage?.completion_tokens ?? 0,
        cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      };
    },
  },
  messages: {
    path: '/v1/messages',
    say: async ({ anthropic }, text, way) => {
      const body = { model: 'm', max_tokens: 4096, messages: [{ role: 'user' as const, content: text }] };
      const message =
        way === 'whole'
          ? await anthropic.messages.create(body)
          : await anthropic.messages.stream(body).finalMessage();
      const { content, usage } = message;
      return {
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
        calls: content.flatMap((block) =>
          block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
        ),
        finish: message.stop_reason ?? '',
        input:
          usage.input_tokens +
          (usage.cache_read_input_tokens ?? 0) +
          (usage.cache_creation_input_tokens ?? 0),
        output: usage.output_tokens,
        cached: usage.cache_read_input_tokens ?? 0,
      };
    },
  },
  responses: {
    path: '/v1/responses',
    say: async ({ openai }, text, way) => {
      const body = { model: 'm', input: text };
      const response =
        way === 'whole'
          ? await openai.responses.create(body)
          : await openai.responses.stream(body).finalResponse();
      return {
        text: response.output_text,
        reasoning: response.output
          .map((item) => (item.type === 'reasoning' ? (item.summary[0]?.text ?? '') : ''))
          .join(''),
        calls: response.output.flatMap((item) =>
          item.type === 'function_call'
            ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }]
            : [],
        ),
        finish: response.incomplete_details?.reason ?? response.status ?? '',
        input: response.usage?.input_tokens ?? 0,
        output: response.usage?.output_tokens ?? 0,
        cached: response.usage?.input_tokens_details?.cached_tokens ?? 0,
      };
    },
  },
} satisfies Readonly<Record<string, Speaker>>;

export type SpeakerName = keyof typeof speakers;

type ChatBody = Pick<OpenAI.ChatCompletionCreateParams, 'model' | 'messages'>;

interface HeardChat {
  readonly completion: OpenAI.ChatCompletion;
  readonly thought: string;
}

async function wholeChat(openai: OpenAI, body: ChatBody): Promise<HeardChat> {
  const completion = await openai.chat.completions.create({ ...body, stream: false });
  return { completion, thought: reasoningIn(completion.choices[0]?.message) };
}

/** The client joins the deltas of the fields it knows; reasoning is a field of local servers. */
async function streamedChat(openai: OpenAI, body: ChatBody): Promise<HeardChat> {
  let thought = '';
  const stream = openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
  stream.on('chunk', ({ choices: [choice] }) => (thought += reasoningIn(choice?.delta)));
  return { completion: await stream.finalChatCompletion(), thought };
}

function reasoningIn(message: object | undefined): string {
  return message && 'reasoning_content' in message ? String(message.reasoning_content) : '';
}

/** Every API, whole and streamed. */
export const waysToSpeak: readonly (readonly [SpeakerName, Way])[] = (
  ['chat', 'messages', 'responses'] as const
).flatMap((name) => (['whole', 'streamed'] as const).map((way) => [name, way] as const));
