import { parseModel, wrongModel } from './parse-model.ts';
import { requireConfig } from '../config/require-config.ts';
import { usageFailure } from '../failure.ts';
import type { Cli } from '../cli.ts';
import type { RequiredConfig } from '../config/require-config.ts';

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

/** What the command line says goes before the environment, which goes before the file. */
export async function readChatConfig(request: ChatRequest, cli: Cli): Promise<RequiredConfig> {
  const { config, model, baseUrl, workspace, trust, json = false } = request;
  if (baseUrl !== undefined && model === undefined)
    throw usageFailure('--base-url says where a model is: give --model with it.');
  const configWith = async (name: string | undefined): Promise<RequiredConfig> => {
    const given = Object.entries({
      THROUGHLINE_MODEL: name,
      THROUGHLINE_MODEL_BASE_URL: baseUrl,
      THROUGHLINE_AGENT_WORKSPACE: workspace,
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
};
