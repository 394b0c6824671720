import { absentServers, modelNamed } from '../chat/open-chat-services.ts';
import { ContextError } from '@throughline/core/settings';
import { driverFor } from '../composition/driver-for.ts';
import { openAgent } from '../composition/open-agent.ts';
import { realpath } from 'node:fs/promises';
import { usageFailure } from '../outcome/failure.ts';
import type { AccessToken, Models, ServerLog, Services } from '@throughline/server';
import type { Cli } from '../composition/cli.ts';
import type { Composition } from '../composition/composition.ts';
import type { Config } from '@throughline/config';
import type { ModelDriver } from '@throughline/ports';
import type { RequiredConfig } from '../config/require-config.ts';

export interface ServedAgent extends AsyncDisposable {
  readonly services: Services;
  readonly tools: readonly string[];
  /** What is not there although it is configured: a sentence each. */
  readonly absent: readonly string[];
}

/** What the server works with, by its configuration. */
export async function openServedAgent(
  { config, file }: RequiredConfig,
  cli: Cli,
  log: ServerLog,
): Promise<ServedAgent> {
  const composition = await cli.compose();
  const opened = await openAgent({
    config,
    ...(file && { configFile: file }),
    composition,
    environment: cli.env,
    // Questions wait for whoever asks for them; they outlive the process.
    isAttended: () => true,
    // As the chat names it: what is begun here is gone on with there.
    folder: await realpath(config.agent.workspace).catch(() => config.agent.workspace),
    titles: config.model.provider === 'demo' ? 'code' : 'model',
    owner: `serve ${process.pid}`,
    problems: log,
    logger: log,
  });
  const models = liveModels(config, cli, composition);
  return {
    services: { agent: opened.agent, models, clock: composition.clock },
    tools: opened.enabled.map(({ name }) => name),
    absent: absentServers(opened.mcpServers),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** The models of the configuration, and those that are named in the settings. */
function liveModels(config: Config, cli: Cli, composition: Composition): Models {
  const taken = new Map<string, ModelDriver>();
  const configured = modelsOf(config, async (name) =>
    driverFor(modelNamed(name, config.model, cli), composition),
  );
  return {
    get names() {
      return [...new Set([...configured.names, ...taken.keys()])];
    },
    driverNamed: async (name) => taken.get(name) ?? (await configured.driverNamed(name)),
    same:
      config.model.provider === 'demo'
        ? { type: 'code' }
        : { type: 'same', driverOf: composition.createSummariserFrom },
    async take(named, { mustAnswer }) {
      const { takeModel } = await import('./take-model.ts');
      const answer = await takeModel(named, { config, cli, composition, mustAnswer });
      if (answer.type === 'taken') taken.set(named.name, answer.driver);
      return answer;
    },
  };
}

/** The model of the configuration, and those that it allows beside it: a request names one of them, and no address. */
export function modelsOf(
  { model, server }: Config,
  driverNamed: (name: string) => Promise<ModelDriver>,
): Models {
  const names = [...new Set([modelNameOf(model), ...server.models])];
  return {
    names,
    driverNamed: async (name) => {
      if (names.includes(name)) return await driverNamed(name);
      const message = `There is no model ${name}. There are ${names.join(', ')}; server.models adds others.`;
      throw new ContextError('not-found', message, { kind: 'model', id: name, known: names });
    },
  };
}

export function modelNameOf(model: Config['model']): string {
  return model.provider === 'demo' ? 'demo' : `${model.provider}:${model.name}`;
}

/** @throws {CommandFailure} where a variable that is named holds nothing: nobody could ever call. */
export function accessTokensOf(
  { tokenEnv, tokens }: Config['server'],
  environment: Cli['env'],
): readonly AccessToken[] {
  const named = [
    ...(tokenEnv === undefined ? [] : [{ owner: '', variable: tokenEnv }]),
    ...Object.entries(tokens).map(([owner, one]) => ({ owner, variable: one.tokenEnv })),
  ];
  return named.map(({ owner, variable }) => {
    const token = environment[variable]?.trim() ?? '';
    if (token === '') throw usageFailure(`The variable ${variable}, which is to hold a token, is not set.`);
    return { owner, token };
  });
}
