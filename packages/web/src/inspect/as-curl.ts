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
  readonly toolChoice?: 'none';
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
    body: ({ model, messages, system, tools, maxOutputTokens, temperature, toolChoice }) => ({
      model,
      messages: hasSystem(system) ? [{ role: 'system', content: system }, ...messages] : messages,
      ...listed('tools', tools?.map(chatTool)),
      ...said('max_completion_tokens', maxOutputTokens),
      ...said('temperature', temperature),
      ...said('tool_choice', toolChoice),
    }),
  },
  'openai-responses': {
    base: openAiBase,
    path: '/responses',
    headers: [bearer],
    body: ({ model, messages, system, tools, maxOutputTokens, temperature, toolChoice }) => ({
      model,
      ...(hasSystem(system) && { instructions: system }),
      input: messages,
      store: false,
      ...listed('tools', tools?.map(responsesTool)),
      ...said('max_output_tokens', maxOutputTokens),
      ...said('temperature', temperature),
      ...said('tool_choice', toolChoice),
    }),
  },
  anthropic: {
    base: 'https://api.anthropic.com',
    path: '/v1/messages',
    headers: ['x-api-key: $API_KEY', 'anthropic-version: 2023-06-01'],
    body: ({
      model,
      messages,
      system,
      tools,
      maxOutputTokens = assumedMaxTokens,
      temperature,
      toolChoice,
    }) => ({
      model,
      max_tokens: maxOutputTokens,
      ...(hasSystem(system) && { system }),
      messages,
      ...listed('tools', tools?.map(anthropicTool)),
      ...said('temperature', temperature),
      ...(toolChoice !== undefined && { tool_choice: { type: toolChoice } }),
    }),
  },
};

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
    `curl -sS "\${BASE_URL:-${api.base}}${api.path}"`,
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

function listed(name: string, list: readonly unknown[] | undefined): Readonly<Record<string, unknown>> {
  return list === undefined || list.length === 0 ? {} : { [name]: list };
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
  return { type: 'function', name, description, parameters };
}

function anthropicTool(tool: unknown): unknown {
  if (!isTold(tool)) return tool;
  const { name, description, inputSchema } = tool;
  return { name, description, input_schema: inputSchema };
}
