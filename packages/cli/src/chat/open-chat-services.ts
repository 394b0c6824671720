import { realpath } from 'node:fs/promises';
import { usageFailure } from '../outcome/failure.ts';
import { driverFor } from '../composition/driver-for.ts';
import { openAgent } from '../composition/open-agent.ts';
import { parseModel, wrongModel } from './read-chat-config.ts';
import { printable } from '../terminal/text.ts';
import type { ChatRequest } from './read-chat-config.ts';
import type { ChatServices } from './state/chat-services.ts';
import type { Cli } from '../composition/cli.ts';
import type { McpServerStatus, Tool } from '@throughline/agent';
import type { OpenAgentOptions, OpenedAgent } from '../composition/open-agent.ts';
import type { RequiredConfig } from '../config/require-config.ts';
import type { Notice } from './state/notices.ts';
import type { Config, ModelConfig } from '@throughline/config';
import type { Problems } from '../composition/composition.ts';

/** What a chat works with, by the configuration and what the command line says beside it. */
export async function openChatServices(
  request: ChatRequest,
  { config, file }: RequiredConfig,
  cli: Cli,
  { titles }: Pick<OpenAgentOptions, 'titles'> = {},
): Promise<ChatServices> {
  const composition = await cli.compose();
  const { allow = [], allowAll = false, tools } = request;
  const unsent = unsentTelemetry(config.telemetry, cli);
  const opened = await openAgent({
    config,
    ...(file && { configFile: file }),
    composition,
    environment: cli.env,
    // Every question is answered, if only with a no.
    isAttended: () => true,
    allow: allowAll ? 'all' : allow,
    ...(tools ? { only: tools } : {}),
    owner: 'chat',
    ...(titles !== undefined && { titles }),
    problems: unsent,
  });
  const absent = absentServers(opened.mcpServers);
  const unknown = unknownNames(request, opened, absent);
  if (unknown !== undefined) {
    await opened[Symbol.asyncDispose]();
    throw usageFailure(unknown);
  }
  const isDemo = config.model.provider === 'demo';
  return {
    agent: opened.agent,
    keepsSessions: config.store.type !== 'memory',
    // One folder has one name, whatever links lead to it.
    folder: await realpath(config.agent.workspace),
    ...(config.model.provider !== 'demo' && { baseUrl: config.model.baseUrl }),
    notices: [...(isDemo ? [demoNotice] : []), ...absent.map((text): Notice => ({ tone: 'warning', text }))],
    driverNamed: async (name) => driverFor(modelNamed(name, config.model, cli), composition),
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      unsent.tell();
    },
  };
}

/** What is wrong with the names of tools that the command line gives; `undefined` where they all are some. */
function unknownNames(
  { allow = [], tools = [] }: ChatRequest,
  opened: Pick<OpenedAgent, 'tools' | 'enabled'>,
  absent: readonly string[],
): string | undefined {
  const told = (option: string, names: readonly string[], among: readonly Tool[]): string | undefined => {
    const known = among.map(({ name }) => name);
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length === 0) return undefined;
    const there = known.length === 0 ? 'There are none.' : `There are ${known.join(', ')}.`;
    return [`${option} names no tool: ${unknown.join(', ')}.`, there, ...absent].join(' ');
  };
  return told('--tools', tools, opened.tools) ?? told('--allow', allow, opened.enabled);
}

/** A sentence for each server that is not there, and for each tool that cannot be used. */
export function absentServers(servers: readonly McpServerStatus[]): readonly string[] {
  return servers.flatMap(({ name, state, error = '', faulty = [] }) => [
    ...(state === 'connected' ? [] : [`The MCP server ${name} is not there: ${error}`]),
    ...faulty.map((tool) => `The tool ${tool.name} of the MCP server ${name} cannot be used: ${tool.reason}`),
  ]);
}

export const demoNotice: Notice = {
  tone: 'warning',
  text:
    'This is the demo model: it follows a script, and the tools it calls are real. Say “help” to see what it ' +
    'understands. For a real one: throughline chat --model anthropic:claude-sonnet-5 with ANTHROPIC_API_KEY set, or ' +
    '--model ollama:qwen3, or a configuration file.',
};

/**
 * The model a name stands for in a chat: the one of the configuration just as it is there, another one of its server,
 * or one of another provider.
 *
 * @throws {CommandFailure} for a name that stands for none, and where its key is missing.
 */
export function modelNamed(
  name: string,
  own: ModelConfig,
  cli: Pick<Cli, 'env' | 'workingFolder'>,
): ModelConfig {
  if (own.provider !== 'demo') {
    const prefix = `${own.provider}:`;
    if (name === own.name || name === prefix + own.name) return own;
    if (name.startsWith(prefix)) {
      const other = configured(name, parseModel(name, cli, own.baseUrl));
      // What was said of one model does not hold for another; what was said of the server does.
      return { ...own, name: other.name, windowTokens: undefined, maxOutputTokens: undefined };
    }
  }
  const parsed = parseModel(name, cli);
  const model = configured(name, parsed);
  const [missing] = parsed.warnings.filter(({ key }) => key === 'model.apiKeyEnv');
  if (missing) throw usageFailure(`${name} needs a key: ${missing.message}`);
  return model;
}

function configured(name: string, parsed: ReturnType<typeof parseModel>): ModelConfig {
  if (parsed.type === 'faults') throw wrongModel(name, parsed);
  return parsed.config.model;
}

/** Remembers that something could not be sent, and tells it at the end: in a chat it would be in the way. */
interface UnsentTelemetry extends Problems {
  readonly tell: () => void;
}

function unsentTelemetry(
  { endpoint }: Pick<Config['telemetry'], 'endpoint'>,
  cli: Pick<Cli, 'err'>,
): UnsentTelemetry {
  let isUnsent = false;
  return {
    warn: () => void (isUnsent = true),
    tell: () => {
      if (isUnsent) cli.err(`throughline: Telemetry could not be sent to ${printable(endpoint)}.\n`);
    },
  };
}
