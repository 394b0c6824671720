import { basename, dirname, isAbsolute, resolve } from 'node:path';
import {
  connectMcpServers,
  createAgent,
  createBuiltInTools,
  createTelemetry,
  detectSandbox,
  openWorkspace,
} from '@throughline/agent';
import { engineOptionsOf, isBuiltInProfile, toolConfigOf, userFolder } from '@throughline/config';
import { findProfile, ownProfile } from '@throughline/core';
import { definedIn } from '@throughline/core/internal';
import { driverFor, summariserOf } from './driver-for.ts';
import { readFile } from 'node:fs/promises';
import { unreadable } from '../outcome/failure.ts';
import { statSync } from 'node:fs';
import type {
  Agent,
  AgentOptions,
  ApprovalRule,
  GuardOptions,
  Logger,
  McpServerStatus,
  Tool,
  Workspace,
  Quota,
} from '@throughline/agent';
import type { Composition, Problems } from './composition.ts';
import type { Config, ConfigFile } from '@throughline/config';
import type { SessionStore } from '@throughline/ports';
import type { Profile } from '@throughline/core';
import type { ToolLimits } from '@throughline/core/types';

export interface OpenAgentOptions {
  readonly config: Config;
  /** Where the configuration is from: commands cannot change it. */
  readonly configFile?: ConfigFile;
  readonly composition: Composition;
  /** What commands of the agent may see; filtered before they do. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether somebody is there who could answer an approval. */
  readonly isAttended: (sessionId: string) => boolean;
  /** Tools that run without being asked for, whatever the configuration says. @default none */
  readonly allow?: readonly string[] | 'all';
  /** Just these tools, whatever the configuration switches on. @default those of the configuration */
  readonly only?: readonly string[];
  /** What new sessions work in, where that is told to nobody else. */
  readonly folder?: string;
  /** Who names sessions. @default nobody */
  readonly titles?: 'model' | 'code';
  /** Told when telemetry cannot be sent. */
  readonly problems?: Problems;
  /** Gets a line per prune, compaction, overflow and repair. @default no lines */
  readonly logger?: Logger;
  /** Names this process in leases. */
  readonly owner: string;
}

export interface OpenedAgent extends AsyncDisposable {
  readonly agent: Agent;
  /** Those that are switched on, and all there are. */
  readonly enabled: readonly Tool[];
  readonly tools: readonly Tool[];
  readonly mcpServers: readonly McpServerStatus[];
}

const defaultInstructions =
  'You are a careful assistant that works in a folder with the tools you are given. Look before you change something, ' +
  'keep to what was asked, and say in plain words what you did and what is left.';

/**
 * The agent of a configuration: its model, store, built-in tools over its workspace, and MCP servers. Disposing of it
 * cancels what runs, and closes all of them.
 */
export async function openAgent(options: OpenAgentOptions): Promise<OpenedAgent> {
  const { config, composition } = options;
  await using opened = new AsyncDisposableStack();
  const [workspace, sandbox, profile] = await Promise.all([
    workspaceOf(config, guardOf(config, options.configFile, options.environment)),
    detectSandbox({ network: config.agent.sandboxNetwork }),
    profileOf(config),
  ]);
  // Closed last: what the others trace while they close is sent.
  const started = opened.use(await composition.startTelemetry(config.telemetry, options.problems));
  const telemetry = opened.use(
    createTelemetry({ ...started.options, ...(options.logger && { logger: options.logger }) }),
  );
  const store: SessionStore = opened.use(await composition.openStoreFrom(config.store));
  const mcp = opened.use(await connectMcpServers(config.mcpServers));
  const [driver, summariser] = await Promise.all([
    driverFor(config.model, composition),
    summariserOf(config, composition),
  ]);
  const tools = [
    ...createBuiltInTools({ workspace, bash: { sandbox, ...environmentOf(options) } }),
    ...mcp.tools,
  ];
  const enabled = enabledOf(tools, options);
  const agent = opened.use(
    createAgent({
      ...settingsOf(config),
      driver,
      store,
      tools: enabled,
      clock: composition.clock,
      timer: composition.timer,
      ids: composition.ids,
      owner: options.owner,
      ...(options.folder !== undefined && { folder: options.folder }),
      ...(options.titles !== undefined && { titles: options.titles }),
      ...quotasOf(config),
      telemetry,
      summariser,
      context: { ...engineOptionsOf(config.context), profile },
      approvals: { rules: rulesOf(tools, options), isAttended: options.isAttended },
    }),
  );
  const closing = opened.move();
  return {
    agent,
    enabled,
    tools,
    mcpServers: mcp.servers,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Without any nothing is asked of the store. */
function quotasOf({ server: { tokens } }: Config): Pick<AgentOptions, 'quotaOf'> {
  const quotas = new Map(Object.entries(tokens).map(([owner, token]) => [owner, quotaOf(token)]));
  const hasAny = [...quotas.values()].some((quota) => Object.keys(quota).length > 0);
  return hasAny ? { quotaOf: (owner) => quotas.get(owner) } : {};
}

function quotaOf({ maxSessions, maxRunsAtOnce, maxTokensPerDay }: Config['server']['tokens'][string]): Quota {
  return {
    ...(maxSessions !== undefined && { maxSessions }),
    ...(maxRunsAtOnce !== undefined && { maxRunsAtOnce }),
    ...(maxTokensPerDay !== undefined && { maxTokensPerDay }),
  };
}

/** What is named on the command line is offered, however small the window. */
function enabledOf(tools: readonly Tool[], { config, only }: OpenAgentOptions): readonly Tool[] {
  if (!only) return tools.filter(({ name }) => toolConfigOf(config.tools, name).enabled !== false);
  return tools.filter(({ name }) => only.includes(name)).map((tool) => ({ ...tool, isSpare: false }));
}

function settingsOf({ agent, tools }: Config): Pick<AgentOptions, 'instructions' | 'limits' | 'limitsOf'> {
  const { instructions = defaultInstructions, maxSteps, maxDurationMs, graceMs } = agent;
  return {
    instructions,
    limits: { maxSteps, graceMs, ...(maxDurationMs !== undefined && { maxDurationMs }) },
    limitsOf: (name): ToolLimits => {
      const { approval: _, enabled: __, environment: ___, ...limits } = toolConfigOf(tools, name);
      return definedIn(limits);
    },
  };
}

function rulesOf(
  tools: readonly Tool[],
  { config, allow = [] }: OpenAgentOptions,
): Record<string, ApprovalRule> {
  const rules = tools.flatMap(({ name }): (readonly [string, ApprovalRule])[] => {
    const { approval } = toolConfigOf(config.tools, name);
    const isAllowed = allow === 'all' || allow.includes(name);
    // What the configuration switches off stays off.
    if (isAllowed && approval !== 'deny') return [[name, 'allow']];
    return approval === undefined ? [] : [[name, approval]];
  });
  return Object.fromEntries(rules);
}

/** What commands may see of it. */
function environmentOf({ config, environment }: OpenAgentOptions): {
  readonly environment: OpenAgentOptions['environment'];
  readonly allowedEnvironment: readonly string[];
} {
  return { environment, allowedEnvironment: toolConfigOf(config.tools, 'bash').environment ?? [] };
}

async function workspaceOf({ agent: { workspace } }: Config, guard: GuardOptions): Promise<Workspace> {
  try {
    return await openWorkspace(workspace, guard);
  } catch (error) {
    throw unreadable('The workspace', workspace, error);
  }
}

async function profileOf({ context }: Config): Promise<Profile> {
  const name = context.compaction.options.profile;
  if (isBuiltInProfile(name)) return findProfile(name);
  const prompt = await readFile(name, 'utf8').catch((error: unknown) => {
    throw unreadable('The profile', name, error);
  });
  return ownProfile(basename(name), prompt);
}

/** What tools keep their hands off because of a configuration: where sessions are kept, the file itself, and what it starts. */
function guardOf(
  config: Config,
  file: ConfigFile | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): GuardOptions {
  const own = file ? [file.path] : [];
  // Also before they are there: the first start makes them.
  const folders = [userFolder('config', environment), userFolder('data', environment)];
  return {
    secrets: [
      ...folders.filter((folder) => folder !== undefined),
      ...storePlaces(config),
      ...(file && holdsSecrets(file) ? own : []),
    ],
    guarded: [...own, ...programs(config)],
    privateFiles: config.agent.privateFiles,
  };
}

function storePlaces({ store }: Config): readonly string[] {
  if (store.type === 'memory') return [];
  if (store.type === 'postgres') return store.blobs.folder === undefined ? [] : [store.blobs.folder];
  const { file, blobs } = store;
  return [file, `${file}-wal`, `${file}-shm`, `${file}-journal`, blobs.folder];
}

/** Sections that may hold secrets, unless all that stands there are names of variables. */
function holdsSecrets({ text }: ConfigFile): boolean {
  return /\b(apiKey|headers|env|databaseUrl)["']?\s*:(?!\s*["']?\$\{\w+\}["']?\s*$)|postgres(ql)?:\/\//m.test(
    text,
  );
}

/** Files that the next start runs: a command that changed them would get out of its sandbox. */
function programs({ mcpServers }: Config): readonly string[] {
  return Object.values(mcpServers).flatMap((server) => {
    if (!('command' in server)) return [];
    const { command, args = [], cwd = process.cwd() } = server;
    const named = [
      ...(command.includes('/') ? [command] : []),
      ...args.map((one) => one.replace(/^--?[\w-]+=/, '')),
    ];
    return named.map((path) => (isAbsolute(path) ? path : resolve(cwd, path))).filter(isFile);
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true && dirname(path) !== path;
}
