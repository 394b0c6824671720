import { createStrictUpstream } from '@throughline/testkit';
import { readAsClient } from './real-clients.ts';
import { rawCall } from './raw-call.ts';
import { callOf } from './questions.ts';
import { startProxy } from './start-proxy.ts';
import type { StartOptions } from './start-proxy.ts';
import type {
  AnswerScript,
  Asked,
  ScriptedReply,
  StrictUpstream,
  StrictUpstreamOptions,
} from '@throughline/testkit';
import type { DialectName } from '../src/stream/dialect-streams.ts';
import type { Question } from './questions.ts';

export const toolName = 'context_recall';

const schema = { type: 'object', properties: { path: { type: 'string' } } };

/** A tool of a client, as its dialect offers it. */
export function clientTool(dialect: DialectName, name = 'read'): object {
  if (dialect === 'messages') return { name, input_schema: schema };
  if (dialect === 'responses') return { type: 'function', name, parameters: schema, strict: false };
  return { type: 'function', function: { name, parameters: schema } };
}

/** A call of the recall tool, as a script makes it. */
export const recalls = (input: object): { readonly name: string; readonly input: object } => ({
  name: toolName,
  input,
});

/** How often results have come since the user spoke last. */
export function roundOf({ messages }: Asked): number {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const roles = messages.slice(last).map(({ role }) => role);
  return roles.filter((role, at) => role === 'tool' && roles[at - 1] !== 'tool').length;
}

/** A model that says these one behind the other, in each turn anew; the last is said again and again. */
export function saying(...replies: readonly ScriptedReply[]): AnswerScript {
  return (asked) => replies[Math.min(roundOf(asked), replies.length - 1)] ?? {};
}

/** An answer as the SDK of its dialect has read it. */
export interface HeardAnswer {
  readonly status: number;
  /** As it came. */
  readonly raw: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly string[];
  readonly finish: unknown;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Asks, and reads the answer: a stream by the stream helper of the SDK, which rejects what is no answer. */
export async function hear(
  url: string,
  question: Question,
  reads: 'raw' | 'sdk' = 'sdk',
): Promise<HeardAnswer> {
  const { dialect, isStreamed } = question;
  const usage = dialect === 'chat' && isStreamed ? { stream_options: { include_usage: true } } : {};
  const answer = await rawCall(url, callOf({ ...question, more: { ...usage, ...question.more } }));
  if (answer.status !== 200 || reads === 'raw')
    return { ...nothing, status: answer.status, raw: answer.text };
  // The SDK takes the last piece for the whole of what it does not know.
  const thoughts = isStreamed && dialect === 'chat' ? { reasoning: thoughtsIn(answer.text) } : {};
  const read = readers[dialect] as (body: unknown) => Partial<HeardAnswer>;
  const body: unknown = isStreamed ? await readAsClient[dialect](answer.bytes) : JSON.parse(answer.text);
  return { ...nothing, status: 200, raw: answer.text, ...read(body), ...thoughts };
}

function thoughtsIn(text: string): string {
  const pieces = [...text.matchAll(/"reasoning_content":("(?:[^"\\]|\\.)*")/g)];
  return pieces.map(([, piece = '""']) => JSON.parse(piece) as string).join('');
}

const nothing = { text: '', reasoning: '', calls: [], finish: undefined, inputTokens: 0, outputTokens: 0 };

/** The fields that are looked at; what a real SDK has read has them. */
interface WireAnswers {
  readonly chat: {
    readonly choices: readonly {
      readonly message: {
        readonly content?: string | null;
        readonly reasoning_content?: string;
        readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
      };
      readonly finish_reason: unknown;
    }[];
    readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
  };
  readonly messages: {
    readonly content: readonly {
      readonly type: string;
      readonly text?: string;
      readonly thinking?: string;
      readonly name?: string;
    }[];
    readonly stop_reason: unknown;
    readonly usage: {
      readonly input_tokens: number;
      readonly output_tokens: number;
      readonly cache_read_input_tokens?: number | null;
      readonly cache_creation_input_tokens?: number | null;
    };
  };
  readonly responses: {
    readonly output: readonly {
      readonly type: string;
      readonly name?: string;
      readonly content?: readonly { readonly text: string }[] | null;
      readonly summary?: readonly { readonly text: string }[] | null;
    }[];
    readonly status: unknown;
    readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  };
}

type Readers = { readonly [Name in DialectName]: (body: WireAnswers[Name]) => Partial<HeardAnswer> };

const readers: Readers = {
  chat: ({ choices: [first], usage }) => ({
    text: first?.message.content ?? '',
    reasoning: first?.message.reasoning_content ?? '',
    calls: (first?.message.tool_calls ?? []).map((call) => call.function.name),
    finish: first?.finish_reason,
    ...(usage && { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens }),
  }),
  messages: ({ content, stop_reason: finish, usage }) => ({
    text: content.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join('\n\n'),
    reasoning: content.map(({ thinking }) => thinking ?? '').join(''),
    calls: content.flatMap(({ type, name = '' }) => (type === 'tool_use' ? [name] : [])),
    finish,
    inputTokens:
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    outputTokens: usage.output_tokens,
  }),
  responses: ({ output, status, usage }) => ({
    text: output.flatMap(({ content }) => (content ?? []).map(({ text }) => text)).join('\n\n'),
    reasoning: output.flatMap(({ summary }) => (summary ?? []).map(({ text }) => text)).join(''),
    calls: output.flatMap(({ type, name = '' }) => (type === 'function_call' ? [name] : [])),
    finish: status,
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
  }),
};

export const windowTokens = 20_000;
export const secret = 'The key of the harbour is under the third stone.';
const messages = [
  { role: 'user', text: secret },
  { role: 'assistant', text: 'Noted.' },
  { role: 'user', text: 'Where is the key?' },
] as const;

interface Recalled {
  readonly upstream: StrictUpstream;
  readonly heard: HeardAnswer;
  readonly lines: readonly string[];
}

interface RecallingOptions {
  readonly upstream?: StrictUpstreamOptions;
  readonly route?: StartOptions;
  /** `raw`: no SDK reads the answer. */
  readonly reads?: 'raw';
}

/** Asks a model behind a proxy that lets it recall, with one tool of the client. */
export async function askRecalling(
  question: Partial<Question> & Pick<Question, 'dialect' | 'isStreamed'>,
  answer: AnswerScript,
  { upstream: options, route, reads }: RecallingOptions = {},
): Promise<Recalled> {
  const upstream = await createStrictUpstream({ windowTokens, answer, ...options });
  await using proxy = await startProxy(`${upstream.url}/v1`, { windowTokens, recall: true, ...route });
  const more = { tools: [clientTool(question.dialect)], ...question.more };
  const heard = await hear(proxy.url, { messages, ...question, more }, reads);
  await upstream.stop();
  return { upstream, heard, lines: proxy.lines };
}

export function bodyAt({ requests }: StrictUpstream, at: number): string {
  return requests[at]?.bytes.toString() ?? '';
}
