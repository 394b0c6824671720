import { CommandFailure } from '../outcome/failure.ts';
import { driverFor, summariserOf } from '../composition/driver-for.ts';
import { modelNamed } from '../chat/open-chat-services.ts';
import { parseModel } from '../chat/read-chat-config.ts';
import { reachFinding } from '../doctor/check-model.ts';
import type { Cli } from '../composition/cli.ts';
import type { Composition } from '../composition/composition.ts';
import type { Config, EndpointModel, ModelConfig } from '@throughline/config';
import type { Models, RefusedModel, TakenModel } from '@throughline/server';

type Named = Parameters<NonNullable<Models['take']>>[0];

interface Around {
  readonly config: Config;
  readonly cli: Cli;
  readonly composition: Composition;
}

const reachMs = 5_000;

/**
 * A model that is named in the settings. Where it must answer, its server is asked at once, and has to take the key that
 * the environment has.
 */
export async function takeModel(
  named: Named,
  { mustAnswer, ...around }: Around & { readonly mustAnswer: boolean },
): Promise<TakenModel | RefusedModel> {
  const found = modelOf(named, around);
  if ('type' in found) return found;
  const { composition, config } = around;
  const model = named.windowTokens === undefined ? found : { ...found, windowTokens: named.windowTokens };
  const reached = lacksKey(model) ?? (mustAnswer ? await reach(model, named, composition) : undefined);
  if (typeof reached === 'object') return reached;
  const [driver, configured, same, own] = await Promise.all([
    driverFor(model, composition),
    summariserOf({ model, summarizer: config.summarizer }, composition),
    summariserOf({ model, summarizer: 'same' }, composition),
    summariserOf({ model, summarizer: model }, composition),
  ]);
  const note = reached === undefined ? {} : { note: reached };
  return { type: 'taken', driver, summarisers: { configured, same, own }, ...note };
}

function modelOf(named: Named, { config, cli }: Around): ModelConfig | RefusedModel {
  const { name, baseUrl } = named;
  if (baseUrl !== undefined) return modelAt(name, baseUrl, { config, cli });
  try {
    return modelNamed(name, config.model, cli);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return refused('name', error.message);
  }
}

function modelAt(
  name: string,
  baseUrl: string,
  { config, cli }: Omit<Around, 'composition'>,
): ModelConfig | RefusedModel {
  if (!isPlainAddress(baseUrl))
    return refused('baseUrl', 'expected an http or https address without a name, a password or a query');
  const parsed = parseModel(name, cli, baseUrl);
  if (parsed.type === 'faults') {
    const [fault] = parsed.faults;
    return refused(fault?.key === 'model.baseUrl' ? 'baseUrl' : 'name', fault?.message ?? 'is no model');
  }
  const { model } = parsed.config;
  return model.provider === 'demo' ? model : withOwnKey(model, config);
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}

/**
 * With the key and the headers that are configured for its address, and with no others: who may name an address must not
 * get keys sent there that were meant for another one.
 */
function withOwnKey(model: EndpointModel, { model: own, summarizer }: Config): EndpointModel {
  const { origin } = new URL(model.baseUrl);
  const known = [own, summarizer].find(
    (one): one is EndpointModel =>
      one !== 'same' && one.provider !== 'demo' && new URL(one.baseUrl).origin === origin,
  );
  if (known) {
    const { apiKey, apiKeyEnv, headers } = known;
    return { ...model, apiKey, apiKeyEnv, headers };
  }
  // The key of a provider is for its own address only, and is needed there.
  return model.needsKey ? model : { ...model, apiKey: undefined };
}

function lacksKey(model: ModelConfig): RefusedModel | undefined {
  if (model.provider === 'demo' || !model.needsKey || model.apiKey !== undefined) return undefined;
  return refused('name', `It needs a key: set ${model.apiKeyEnv} where the server runs, and start it again.`);
}

/** What is worth knowing of it, or why it cannot be taken. */
async function reach(
  model: ModelConfig,
  { baseUrl }: Named,
  { askEndpoint }: Composition,
): Promise<string | undefined | RefusedModel> {
  if (model.provider === 'demo') return undefined;
  const answer = await askEndpoint(model, AbortSignal.timeout(reachMs));
  const { state, message } = reachFinding('model', model, answer);
  if (state === 'fail') return refused(baseUrl === undefined ? 'name' : 'baseUrl', message);
  return state === 'warn' ? message : undefined;
}

function refused(field: RefusedModel['field'], message: string): RefusedModel {
  return { type: 'refused', field, message };
}
