import { isObject } from '../../json/json.ts';

/** A request as it is about to be handed to the AI SDK, in parts. */
export interface AiSdkRequest<Message> {
  /** System text outside the messages: a text, a system message or several of them. */
  readonly instructions?: unknown;
  readonly messages: readonly Message[];
  /** What else may carry marks: the tools, the options of the call. */
  readonly beside?: readonly unknown[];
  /** Marks kept free for parts that are not seen here. @default 0 */
  readonly unseenMarks?: number;
}

export interface MarkedAiSdkRequest<Message> {
  readonly instructions: unknown;
  readonly messages: readonly Message[];
}

/** What of a model tells its provider: the name that a gateway knows it by, or the model itself. */
export type AiSdkModel = string | { readonly provider?: unknown; readonly modelId?: unknown };

/** Most marks Anthropic accepts in one request, those of the client included. */
const maxMarks = 4;

/** Anthropic itself, its models at Vertex and at Bedrock by the same interface, and by the name that gateways give them. */
export function isAnthropicModel(model: AiSdkModel): boolean {
  if (typeof model === 'string') return model.startsWith('anthropic/');
  const { provider, modelId } = model;
  return /anthropic/i.test(String(provider)) || String(modelId).startsWith('anthropic/');
}

/**
 * The request with Anthropic's cache marks, as the AI SDK's provider packages read them: on the newest message that is
 * no note, the system text, which the tools stand before, the summary, and the message before the newest, in this order
 * of worth. At most four with those that are there. Nothing handed in is changed; what gets no mark is the same object.
 */
export function markAiSdkForCache<Message>({
  instructions,
  messages,
  beside = [],
  unseenMarks = 0,
}: AiSdkRequest<Message>): MarkedAiSdkRequest<Message> {
  const outside = systemMessages(instructions);
  let free = [...outside, ...messages, ...beside].reduce<number>(
    (left, part) => left - countMarks(part),
    maxMarks - unseenMarks,
  );
  const spend = <Value>(value: Value): Value => {
    if (free <= 0 || !isObject(value) || countMarks(value) > 0) return value;
    free -= 1;
    return withMark(value);
  };
  const marked = [...messages];
  const spendAt = (index: number): void => {
    if (index >= 0) marked[index] = spend(marked[index] as Message);
  };
  const newest = messages.findLastIndex((message) => kindOf(message) !== 'note');
  spendAt(newest);
  const system = outside.length > 0 ? outside.with(-1, spend(outside.at(-1))) : outside;
  if (outside.length === 0) spendAt(lastLeadingSystem(messages));
  spendAt(messages.findLastIndex((message) => kindOf(message) === 'summary'));
  spendAt(newest - 1);
  const isSystemMarked = system.at(-1) !== outside.at(-1);
  return { instructions: isSystemMarked ? system : instructions, messages: marked };
}

function systemMessages(instructions: unknown): readonly unknown[] {
  if (instructions === undefined || instructions === '') return [];
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}

function lastLeadingSystem(messages: readonly unknown[]): number {
  const end = messages.findIndex((message) => !isObject(message) || message['role'] !== 'system');
  return (end < 0 ? messages.length : end) - 1;
}

/** What the engine says of a message that it wrote. */
function kindOf(message: unknown): unknown {
  return isObject(message) ? optionsOf(message, 'throughline')['kind'] : undefined;
}

function withMark<Value extends object>(value: Value): Value {
  const { providerOptions } = value as { readonly providerOptions?: object };
  const anthropic = { ...optionsOf(value, 'anthropic'), cacheControl: { type: 'ephemeral' } };
  return { ...value, providerOptions: { ...providerOptions, anthropic } };
}

/** Marks on a message, on its parts, and on the parts of results in them; or on a tool, or the options of a call. */
function countMarks(value: unknown): number {
  if (!isObject(value)) return 0;
  const { cacheControl, cache_control } = optionsOf(value, 'anthropic');
  const own = (cacheControl ?? cache_control ?? undefined) === undefined ? 0 : 1;
  const { content, output } = value;
  const nested = Array.isArray(content) ? content : isObject(output) ? [output, ...listIn(output)] : [];
  return nested.reduce<number>((sum, part) => sum + countMarks(part), own);
}

/** The parts of a result; other forms of it are what the tool said. */
function listIn({ type, value }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return type === 'content' && Array.isArray(value) ? value : [];
}

function optionsOf(value: object, provider: string): Readonly<Record<string, unknown>> {
  const { providerOptions } = value as { readonly providerOptions?: unknown };
  const options = isObject(providerOptions) ? providerOptions[provider] : undefined;
  return isObject(options) ? options : {};
}
