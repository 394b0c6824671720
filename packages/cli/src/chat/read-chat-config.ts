import { requireConfig } from '../config/require-config.ts';
import { joined, usageFailure } from '../outcome/failure.ts';
import { parseConfig } from '@throughline/config';
import { limitsOf } from '../composition/limits-of.ts';
import { parted, shownFolder } from './state/start-lines.ts';
import { shortTokens } from '../terminal/numbers.ts';
import type { Cli, CommonOptions } from '../composition/cli.ts';
import type { RequiredConfig } from '../config/require-config.ts';
import type { Config, ConfigResult } from '@throughline/config';

export interface ChatRequest {
  readonly config?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly workspace?: string;
  readonly allow?: readonly string[];
  readonly allowAll?: boolean;
  /** Just these tools. */
  readonly tools?: readonly string[];
  /** Whether the configuration of the folder may have what it wants. */
  readonly trust?: boolean;
  /** The answers go to a program: nobody is asked anything else. */
  readonly json?: boolean;
}

export interface ChatOptions extends CommonOptions, ChatRequest {
  /** Goes on with this session. */
  readonly session?: string;
  /** Goes on with the session of this folder that was used last. */
  readonly continue?: boolean;
  /** One message, and its answer. */
  readonly once?: boolean;
}

/** Where a server listens and what it asks for. */
export interface ServerRequest {
  readonly host?: string;
  readonly port?: string;
  /** The variable that holds the token. */
  readonly tokenEnv?: string;
}

/** What the command line says goes before the environment, which goes before the file. */
export async function readChatConfig(
  request: ChatRequest & ServerRequest,
  cli: Cli,
): Promise<RequiredConfig> {
  const { config, model, baseUrl, workspace, trust, json = false } = request;
  if (baseUrl !== undefined && model === undefined)
    throw usageFailure('--base-url says where a model is: give --model with it.');
  const configWith = async (name: string | undefined): Promise<RequiredConfig> => {
    const given = Object.entries({
      THROUGHLINE_MODEL: name,
      THROUGHLINE_MODEL_BASE_URL: baseUrl,
      THROUGHLINE_AGENT_WORKSPACE: workspace,
      THROUGHLINE_SERVER_HOST: request.host,
      THROUGHLINE_SERVER_PORT: request.port,
      THROUGHLINE_SERVER_TOKEN_ENV: request.tokenEnv,
    }).filter(([, value]) => value !== undefined);
    const options = Object.fromEntries(given.map(([variable]) => [variable, optionOf[variable] ?? variable]));
    return await requireConfig(
      { ...cli, env: { ...cli.env, ...Object.fromEntries(given) } },
      { file: config, options, trust, isSilent: json },
    );
  };
  if (model === undefined) return await configWith(model);
  // A server of one's own needs no name of a provider.
  const names = baseUrl === undefined ? [model] : [model, `openai-compatible:${model}`];
  const name = names.find((one) => parseModel(one, cli, baseUrl).type === 'config');
  if (name === undefined) {
    const hint = baseUrl === undefined ? 'For a server of your own give --base-url with it.' : '';
    throw wrongModel(model, parseModel(model, cli, baseUrl), hint);
  }
  return await configWith(name);
}

const optionOf: Readonly<Record<string, string>> = {
  THROUGHLINE_MODEL: '--model',
  THROUGHLINE_MODEL_BASE_URL: '--base-url',
  THROUGHLINE_AGENT_WORKSPACE: '--workspace',
  THROUGHLINE_SERVER_HOST: '--host',
  THROUGHLINE_SERVER_PORT: '--port',
  THROUGHLINE_SERVER_TOKEN_ENV: '--token-env',
};

/** Only the model: what else stands in the environment is told elsewhere. */
export function parseModel(
  name: string,
  { env, workingFolder }: Pick<Cli, 'env' | 'workingFolder'>,
  baseUrl?: string,
): ConfigResult {
  const others = Object.entries(env).filter(
    ([key]) => !key.startsWith('THROUGHLINE_') || key === 'THROUGHLINE_API_KEY',
  );
  const environment = {
    ...Object.fromEntries(others),
    THROUGHLINE_MODEL: name,
    ...(baseUrl !== undefined && { THROUGHLINE_MODEL_BASE_URL: baseUrl }),
  };
  return parseConfig({ environment, workingFolder });
}

/** What is wrong with the name of a model, and what else could have been meant. */
export function wrongModel(name: string, parsed: ConfigResult, hint = ''): Error {
  const [fault] = parsed.type === 'faults' ? parsed.faults : [];
  return usageFailure(joined(`${name} is no model: ${fault?.message ?? 'nothing is called so.'}`, hint));
}

/** Model and window, before the store is opened and a server is asked; the folder where it is not the one that was told. */
export function configLines({ model, agent }: Config, toldFolder: string, columns: number): string {
  const { window } = limitsOf(model);
  const tokens = shortTokens(window.tokens);
  return parted(
    [
      model.provider === 'demo' ? 'demo:scripted' : `${model.provider}:${model.name}`,
      window.source === 'default'
        ? `window ${tokens} assumed (model.windowTokens sets it) unless the server says more`
        : `window ${tokens}`,
      ...(agent.workspace === toldFolder ? [] : [`works in ${shownFolder(agent.workspace)}`]),
    ],
    columns,
  );
}
