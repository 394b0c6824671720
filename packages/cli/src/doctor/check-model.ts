import { fail, ok, warn } from './finding.ts';
import { formatNumber } from '../terminal/numbers.ts';
import type { Check, Finding } from './finding.ts';
import type { Composition, EndpointAnswer } from '../composition/composition.ts';
import type { EndpointModel, ModelConfig } from '@throughline/config';
import type { Limit, LimitSource } from '@throughline/core/internal';
import type { ModelLimits } from '@throughline/core/types';

interface ModelToCheck {
  /** `model` or `summarizer`. */
  readonly key: 'model' | 'summarizer';
  readonly model: ModelConfig;
  /** `context.window`, where it is set: it has to fit the model. */
  readonly window?: number | undefined;
}

/** The model's server answers and takes the key; its real limits, and whether it takes tools. No model is called. */
export function checkModel({ key, model, window }: ModelToCheck, composition: Composition): Check {
  return {
    name: key,
    run: async (signal) => {
      if (model.provider === 'demo') {
        const limits = composition.limitsOf(model);
        return [ok(key, `the built-in demo; window ${formatNumber(limits.window.tokens)}, takes tools.`)];
      }
      if (model.needsKey && model.apiKey === undefined)
        return [fail(key, `${nameOf(model)} needs a key: set ${model.apiKeyEnv}.`)];
      const answer = await composition.askEndpoint(model, signal);
      const reached = reachFinding(key, model, answer);
      if (answer.type !== 'answered') return [reached];
      const discovered = await composition.discoverLimitsOf(model, signal);
      const limits = composition.limitsOf(model, discovered);
      return [
        reached,
        limitsFinding(limits, { key, model, window }, discovered?.source),
        toolsFinding(key, discovered?.hasTools ?? limits.model?.entry.hasTools),
      ];
    },
  };
}

const nameOf = ({ provider, name }: EndpointModel): string => `${provider}:${name}`;

const mostShownModels = 5;

/** Whether its server is there, takes the key, and has the model. */
export function reachFinding(key: string, model: EndpointModel, answer: EndpointAnswer): Finding {
  const { baseUrl, apiKey, apiKeyEnv } = model;
  if (answer.type === 'unreachable')
    return fail(key, `${nameOf(model)} cannot be reached at ${baseUrl}: ${answer.reason}.`);
  if (answer.type === 'refused') {
    const said = answer.message === '' ? '' : `: ${answer.message}`;
    const what = apiKey === undefined ? `wants a key (set ${apiKeyEnv})` : 'does not take the key';
    return fail(key, `${baseUrl} ${what}; it answers ${answer.status}${said}`);
  }
  if (answer.models.length === 0) {
    const told = answer.status < 400 ? 'it tells no models' : `asked for its models it says ${answer.status}`;
    const hint =
      answer.status === 404 && !/\/v\d/.test(baseUrl) ? ' Is /v1 missing at the end of baseUrl?' : '';
    return warn(
      key,
      `${baseUrl} answers; ${told}, so the key and the name ${model.name} were not tried.${hint}`,
    );
  }
  if (isListed(model.name, answer.models)) return ok(key, `${nameOf(model)} is there, at ${baseUrl}.`);
  const some = answer.models.slice(0, mostShownModels).join(', ');
  const more =
    answer.models.length > mostShownModels ? ` and ${answer.models.length - mostShownModels} more` : '';
  return warn(key, `${baseUrl} answers, and does not list ${model.name}. It has ${some}${more}.`);
}

/** Ollama adds a tag, Google a folder. */
function isListed(name: string, models: readonly string[]): boolean {
  const wanted = name.toLowerCase();
  return models.some((one) => {
    const id = one.toLowerCase();
    return id === wanted || id === `${wanted}:latest` || id === `models/${wanted}`;
  });
}

const sources: { readonly [Source in LimitSource]: string } = {
  user: 'configured',
  learned: 'learned',
  discovered: 'said by the server',
  catalogue: 'from the catalogue',
  default: 'assumed',
};

function limitsFinding(
  { window, maxOutput }: ModelLimits,
  { key, window: wanted }: ModelToCheck,
  server?: string,
): Finding {
  const check = `${key} limits`;
  const told = (limit: Limit): string => `${formatNumber(limit.tokens)} (${sources[limit.source]})`;
  const by = server === undefined ? '' : `; the server: ${server}`;
  const message = `window ${told(window)}, answers up to ${told(maxOutput)}${by}.`;
  if (window.source === 'default')
    return warn(check, `${message} Nobody states the window: set ${key}.windowTokens.`);
  return wanted !== undefined && wanted > window.tokens
    ? warn(check, `${message} context.window asks for ${formatNumber(wanted)}, which is more.`)
    : ok(check, message);
}

function toolsFinding(key: string, hasTools: boolean | undefined): Finding {
  const check = `${key} tools`;
  if (hasTools === undefined) return warn(check, 'nobody says whether it takes tools; the first call tells.');
  return hasTools ? ok(check, 'takes tools.') : warn(check, 'takes no tools: the agent offers it none.');
}
