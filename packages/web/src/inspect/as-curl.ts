/** A request in the format of a model's server, apart from what the server's own API wraps around it. */
export interface RequestToSend {
  /** Name of the format, as `InspectedSetup.format`. */
  readonly format: string;
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly system?: unknown;
  /** As an agent tells them (`inputSchema`), or as they are sent. */
  readonly tools?: readonly unknown[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** `none`: the model is not to use its tools. */
  readonly toolChoice?: 'auto' | 'none' | 'required';
  /** Names the conversation for the cache of the provider. */
  readonly conversationId?: string;
  /** Further fields, as the provider has them; they win. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** It was sent: the answer is streamed, as it was then. */
  readonly isSent?: boolean;
}

interface Api {
  /** Where it goes unless `$BASE_URL` says something else. */
  readonly base: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: (request: RequestToSend) => Readonly<Record<string, unknown>>;
}

const openAiBase = 'https://api.openai.com/v1';
const bearer = 'authorization: Bearer $API_KEY';

/** What Anthropic's API takes where nobody has said how long the answer may be: it has no default. */
const assumedMaxTokens = 4_096;

/** The formats that a server speaks; others are those of libraries. */
const apis: Readonly<Record<string, Api>> = {
  'openai-chat': {
    base: openAiBase,
    path: '/chat/completions',
    headers: [bearer],
    body: (request) => ({
      model: request.model,
      messages: hasSystem(request.system)
        ? [{ role: 'system', content: request.system }, ...request.messages]
        : request.messages,
      ...(request.isSent && { stream: true, stream_options: { include_usage: true } }),
      ...offered(request, chatTool, (choice) => choice),
      ...said('max_completion_tokens', request.maxOutputTokens),
      ...said('temperature', request.temperature),
      ...said('prompt_cache_key', request.conversationId),
      ...request.settings,
    }),
  },
  'openai-responses': {
    base: openAiBase,
    path: '/responses',
    headers: [bearer],
    body: (request) => ({
      model: request.model,
      ...promptOf(request),
      store: false,
      ...(request.isSent && { stream: true, include: ['reasoning.encrypted_content'] }),
      ...offered(request, responsesTool, (choice) => choice),
      ...said('max_output_tokens', request.maxOutputTokens),
      ...said('temperature', request.temperature),
      ...said('prompt_cache_key', request.conversationId),
      ...request.settings,
    }),
  },
  anthropic: {
    base: 'https://api.anthropic.com',
    path: '/v1/messages',
    headers: ['x-api-key: $API_KEY', 'anthropic-version: 2023-06-01'],
    body: (request) => ({
      model: request.model,
      max_tokens: request.maxOutputTokens ?? assumedMaxTokens,
      ...(hasSystem(request.system) && { system: request.system }),
      messages: request.messages,
      ...(request.isSent && { stream: true }),
      ...offered(request, anthropicTool, (choice) => ({ type: choice === 'required' ? 'any' : choice })),
      ...said('temperature', request.temperature),
      ...request.settings,
    }),
  },
};

/** Instructions are a text; where they are more, they stand in front. */
function promptOf({ system, messages }: RequestToSend): Readonly<Record<string, unknown>> {
  if (!hasSystem(system)) return { input: messages };
  if (typeof system === 'string') return { instructions: system, input: messages };
  return { input: [{ role: 'developer', content: system }, ...messages] };
}

/** A choice without tools is refused. */
function offered(
  { tools = [], toolChoice = 'auto' }: RequestToSend,
  toolOf: (tool: unknown) => unknown,
  choiceOf: (choice: 'none' | 'required') => unknown,
): Readonly<Record<string, unknown>> {
  if (tools.length === 0) return {};
  const choice = toolChoice === 'auto' ? {} : { tool_choice: choiceOf(toolChoice) };
  return { tools: tools.map(toolOf), ...choice };
}

/**
 * A request as a command that a shell takes as it stands: nothing of what people, tools and models wrote is read by the
 * shell, and no key is in it (`$API_KEY`; another server by `$BASE_URL`). Long ones too: the body comes by the input.
 *
 * @returns `undefined` for a format that no server speaks.
 */
export function asCurl(request: RequestToSend): string | undefined {
  const api = Object.hasOwn(apis, request.format) ? apis[request.format] : undefined;
  if (!api) return undefined;
  // One line that begins with a brace: it is never the word that ends the input.
  const body = JSON.stringify(api.body(request));
  const headers = ['content-type: application/json', ...api.headers].map((header) => `-H "${header}"`);
  const command = [
    `curl ${request.isSent ? '-sSN' : '-sS'} "\${BASE_URL:-${api.base}}${api.path}"`,
    ...headers,
    `--data-binary @- <<'${endWord}'`,
  ];
  return `${command.join(' \\\n  ')}\n${body}\n${endWord}\n`;
}

const endWord = 'END_OF_REQUEST';

function hasSystem(system: unknown): boolean {
  return system !== undefined && system !== null && system !== '';
}

function said(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { [name]: value };
}

interface Told {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

/** As an agent tells a tool; what was recorded in a server's own format is sent as it is. */
function isTold(tool: unknown): tool is Told {
  return typeof tool === 'object' && tool !== null && 'name' in tool && 'inputSchema' in tool;
}

function chatTool(tool: unknown): unknown {
  if (!isTold(tool)) return tool;
  const { name, description, inputSchema: parameters } = tool;
  return { type: 'function', function: { name, description, parameters } };
}

function responsesTool(tool: unknown): unknown {
  if (!isTold(tool)) return tool;
  const { name, description, inputSchema: parameters } = tool;
  return { type: 'function', name, description, parameters, strict: false };
}

function anthropicTool(tool: unknown): unknown {
  if (!isTold(tool)) return tool;
  const { name, description, inputSchema } = tool;
  return { name, description, input_schema: inputSchema };
}
