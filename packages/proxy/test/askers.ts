import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

/** A message in every dialect. */
export interface Said {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

interface AskedFor {
  readonly messages: readonly Said[];
  readonly isStreamed: boolean;
  readonly maxTokens?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Heard {
  readonly text: string;
  /** In the words of the dialect. */
  readonly finish: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

type Ask = (base: string, asked: AskedFor) => Promise<Heard>;

const openai = (base: string, defaultHeaders: Readonly<Record<string, string>> = {}): OpenAI =>
  new OpenAI({ baseURL: `${base}/v1`, apiKey: 'k', maxRetries: 0, defaultHeaders });

/** The real clients, each asked the same. */
export const askers: Readonly<Record<'chat completions' | 'responses' | 'messages', Ask>> = {
  'chat completions': async (base, { messages, isStreamed, maxTokens = 3_000, headers }) => {
    const client = openai(base, headers);
    const said = messages.map(({ role, text }) => ({ role, content: text }));
    const request = { model: 'm', messages: said, max_completion_tokens: maxTokens };
    const completion = isStreamed
      ? await client.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(request);
    const [choice] = completion.choices;
    return {
      text: choice?.message.content ?? '',
      finish: choice?.finish_reason ?? '',
      inputTokens: completion.usage?.prompt_tokens ?? 0,
      outputTokens: completion.usage?.completion_tokens ?? 0,
    };
  },
  responses: async (base, { messages, isStreamed, maxTokens = 3_000, headers }) => {
    const client = openai(base, headers);
    const input = messages.map(({ role, text }) => ({ role, content: text }));
    const request = { model: 'm', input, max_output_tokens: maxTokens, store: false };
    const response = isStreamed
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    return {
      text: response.output_text,
      finish: response.status ?? '',
      inputTokens: response.usage?.input_tokens ?? 0,
      outputTokens: response.usage?.output_tokens ?? 0,
    };
  },
  messages: async (base, { messages, isStreamed, maxTokens = 3_000, headers = {} }) => {
    const client = new Anthropic({ baseURL: base, apiKey: 'k', maxRetries: 0, defaultHeaders: headers });
    const said = messages.map(({ role, text }) => ({ role, content: text }));
    const request = { model: 'm', messages: said, max_tokens: maxTokens };
    const message = isStreamed
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    return {
      text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      finish: message.stop_reason ?? '',
      inputTokens: message.usage.input_tokens,
      outputTokens: message.usage.output_tokens,
    };
  },
};

/** A conversation of so many turns, the user's last. */
export function talk(turns: number, question: (turn: number) => string): readonly Said[] {
  return Array.from({ length: turns }, (_, turn): Said[] => [
    { role: 'user', text: question(turn) },
    ...(turn < turns - 1
      ? [{ role: 'assistant' as const, text: `Answer ${turn}: because of the account.` }]
      : []),
  ]).flat();
}
