import type { CodeLinesProps } from './code-lines.tsx';

/** How the server gets a model: a command, and the same in the file. */
export const modelLines: readonly CodeLinesProps[] = [
  { label: 'A model on this machine (Ollama)', text: 'throughline serve --model ollama:qwen3:8b' },
  {
    label: 'A model behind a key: paste the key when it waits, then Enter',
    // One line: the question for the key would read the next one as its answer.
    text: 'read -rs ANTHROPIC_API_KEY && export ANTHROPIC_API_KEY && throughline serve --model anthropic:claude-opus-4-5',
  },
  {
    label: 'Any server that speaks Chat Completions (llama.cpp, vLLM, LM Studio), in throughline.yaml',
    text: 'model:\n  provider: openai-compatible\n  name: qwen3-coder\n  baseUrl: http://localhost:8000/v1\n  windowTokens: 64k',
  },
];

/** What the file needs before a client can be pointed anywhere. */
export const routeLines: CodeLinesProps = {
  label: 'A proxy, in throughline.yaml; then start the server again',
  text: 'proxy:\n  routes:\n    claude: { upstream: https://api.anthropic.com/v1 }\n    local: { upstream: http://localhost:8080/v1 }',
};

/** How a client is pointed at a proxy of this server. */
export function clientLines(serverUrl: string, route: string): readonly CodeLinesProps[] {
  const address = `${serverUrl}/proxy/${route}`;
  return [
    { label: 'Claude Code', text: `ANTHROPIC_BASE_URL=${address} claude` },
    {
      label: 'Codex, in ~/.codex/config.toml',
      text: [
        'model = "gpt-5.5"',
        'model_provider = "throughline"',
        '',
        '[model_providers.throughline]',
        'name = "throughline"',
        `base_url = "${address}/v1"`,
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"',
      ].join('\n'),
    },
    {
      label: 'Programs on an SDK of OpenAI or Anthropic',
      text: `export OPENAI_BASE_URL=${address}/v1\nexport ANTHROPIC_BASE_URL=${address}`,
    },
  ];
}
