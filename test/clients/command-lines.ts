import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where a client runs, and what it talks to. */
interface Place {
  /** Empty but for what is written here. */
  readonly home: string;
  readonly project: string;
  /** The proxy, without `/v1`. */
  readonly url: string;
  /** Of the model: some clients want to know. */
  readonly windowTokens: number;
}

interface Invocation {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A command line of somebody else, as its own documentation points it at another address. */
export interface CommandLine {
  readonly name: string;
  /** As a registry has it, and the version that was tried. */
  readonly packageName: string;
  readonly version: string;
  readonly program: string;
  /** Larger than its instructions and tools, which it sends with every request. */
  readonly windowTokens: number;
  readonly ask: (place: Place, prompt: string) => Invocation;
}

const model = 'm';

export const commandLines: readonly CommandLine[] = [
  {
    name: 'Claude Code',
    packageName: '@anthropic-ai/claude-code',
    version: '2.1.330',
    program: 'claude',
    windowTokens: 40_000,
    ask: ({ url }, prompt) => ({
      args: ['-p', prompt, '--model', model, '--allowedTools', 'Bash', '--output-format', 'json'],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'none',
        IS_SANDBOX: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
  },
  {
    name: 'Codex',
    packageName: '@openai/codex',
    version: '0.169.0',
    program: 'codex',
    windowTokens: 32_000,
    ask: ({ url }, prompt) => ({
      args: [
        'exec',
        '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox',
        '-m',
        'gpt-5.5',
        '-c',
        'model_provider=throughline',
        '-c',
        `model_providers.throughline={name="throughline",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`,
        prompt,
      ],
      env: { OPENAI_API_KEY: 'none' },
    }),
  },
  {
    name: 'OpenCode',
    packageName: 'opencode-ai',
    version: '1.18.33',
    program: 'opencode',
    windowTokens: 24_000,
    ask: ({ url, project, windowTokens }, prompt) => {
      const limit = { context: windowTokens, output: 4_096 };
      writeJson(join(project, 'opencode.json'), {
        $schema: 'https://opencode.ai/config.json',
        autoupdate: false,
        share: 'disabled',
        model: `throughline/${model}`,
        small_model: `throughline/${model}`,
        permission: 'allow',
        compaction: { auto: false },
        provider: {
          throughline: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'none' },
            models: { [model]: { name: model, limit } },
          },
        },
      });
      return { args: ['run', prompt] };
    },
  },
  {
    name: 'pi',
    packageName: '@mariozechner/pi-coding-agent',
    version: '0.73.1',
    program: 'pi',
    windowTokens: 12_000,
    ask: ({ url, home, windowTokens }, prompt) => {
      const entry = { id: model, name: model, contextWindow: windowTokens, maxTokens: 4_096 };
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      writeJson(join(home, '.pi/agent/models.json'), {
        providers: {
          throughline: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: 'none',
            models: [{ ...entry, reasoning: false, input: ['text'], cost }],
          },
        },
      });
      writeJson(join(home, '.pi/agent/settings.json'), { compaction: { enabled: false } });
      return { args: ['--provider', 'throughline', '--model', model, '-p', prompt] };
    },
  },
];

function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
