/** What a model is asked in. */
export type Protocol = 'openai-chat' | 'openai-responses' | 'anthropic';

/** How a provider is reached where nothing else is said. */
export interface Provider {
  readonly protocol: Protocol;
  /** `undefined`: has to be given. */
  readonly baseUrl: string | undefined;
  /** The usual variable of its key; none where no key is needed. */
  readonly apiKeyEnv?: string;
}

const openai = { baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' } as const;
const chat = (baseUrl: string, apiKeyEnv?: string): Provider => ({
  protocol: 'openai-chat',
  baseUrl,
  ...(apiKeyEnv !== undefined && { apiKeyEnv }),
});

/** Providers with an address, by name. A new one is a new row. */
export const providers = {
  openai: { protocol: 'openai-chat', ...openai },
  'openai-responses': { protocol: 'openai-responses', ...openai },
  anthropic: {
    protocol: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    apiKeyEnv: 'ANTHROPIC_API_KEY',
  },
  openrouter: chat('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  deepseek: chat('https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  google: chat('https://generativelanguage.googleapis.com/v1beta/openai', 'GEMINI_API_KEY'),
  groq: chat('https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  mistral: chat('https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  lmstudio: chat('http://localhost:1234/v1'),
  ollama: chat('http://localhost:11434/v1'),
  llamacpp: chat('http://localhost:8080/v1'),
  vllm: chat('http://localhost:8000/v1'),
  'openai-compatible': { protocol: 'openai-chat', baseUrl: undefined },
} as const satisfies Record<string, Provider>;

/** The one that needs no server. */
export const demoProvider = 'demo';

export type EndpointProviderName = keyof typeof providers;
export type ProviderName = EndpointProviderName | typeof demoProvider;

export const providerNames: readonly ProviderName[] = [
  ...(Object.keys(providers) as EndpointProviderName[]),
  demoProvider,
];

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;
const nearby =
  /^(10(\.\d{1,3}){3}|192\.168(\.\d{1,3}){2}|172\.(1[6-9]|2\d|3[01])(\.\d{1,3}){2}|0\.0\.0\.0|[^.:]+|\[f[cde][0-9a-f:]+\]|.+\.(local|lan|internal|home\.arpa))$/i;

/** Only programs on the same machine reach it. */
export const isLoopback = (host: string): boolean => loopback.test(host);

/** A host of one's own: the same machine, or one in the same house. */
export const isLocalHost = (host: string): boolean => isLoopback(host) || nearby.test(host);
