import { fail, ok, warn } from './finding.ts';
import { formatNumber } from '../terminal/numbers.ts';
import { endpointModel } from '../proxy/proxy-summarisers.ts';
import type { Check, Finding } from './finding.ts';
import type { Composition, EndpointAnswer } from '../composition/composition.ts';
import type { Config, EndpointModel } from '@throughline/config';

type RouteConfig = Config['proxy']['routes'][string];
type Environment = Readonly<Record<string, string | undefined>>;

/** Each route of the proxy: its upstream answers and takes the key, and states a window. No model is called. */
export function proxyChecks(
  { proxy }: Config,
  environment: Environment,
  composition: Composition,
): readonly Check[] {
  return Object.entries(proxy.routes)
    .filter(([, { upstream }]) => upstream !== 'agent')
    .map(([name, route]) => ({
      name: `proxy ${name}`,
      run: async (signal) => await examineRoute(name, { route, environment, composition, signal }),
    }));
}

interface Examined {
  readonly route: RouteConfig;
  readonly environment: Environment;
  readonly composition: Composition;
  readonly signal: AbortSignal;
}

async function examineRoute(
  name: string,
  { route, environment, composition, signal }: Examined,
): Promise<readonly Finding[]> {
  const check = `proxy ${name}`;
  const { upstream, apiKeyEnv, context } = route;
  const apiKey = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]?.trim();
  if (apiKeyEnv !== undefined && (apiKey ?? '') === '')
    return [fail(check, `the variable ${apiKeyEnv}, which is to hold the key for ${upstream}, is not set.`)];
  const answer = await composition.askEndpoint(endpointAt(upstream, '', apiKey), signal);
  const reached = reachFinding(check, upstream, { answer, apiKey });
  if (answer.type !== 'answered' || context?.window !== undefined) return [reached];
  const [model] = answer.models;
  if (model === undefined) return [reached];
  const said = await composition.discoverLimitsOf(endpointAt(upstream, model, apiKey), signal);
  const window = composition.limitsOf(endpointAt(upstream, model, apiKey), said).window;
  const about = `${model} has a window of ${formatNumber(window.tokens)}`;
  if (window.source !== 'default') return [reached, ok(`${check} window`, `${about}.`)];
  const hint = `nobody states the window of ${model}: the first overflow tells it, or proxy.routes.${name}.context.window.`;
  return [reached, warn(`${check} window`, hint)];
}

interface Reached {
  readonly answer: EndpointAnswer;
  readonly apiKey: string | undefined;
}

function reachFinding(check: string, upstream: string, { answer, apiKey }: Reached): Finding {
  if (answer.type === 'unreachable') return fail(check, `${upstream} cannot be reached: ${answer.reason}.`);
  if (answer.type === 'answered')
    return ok(check, `${upstream} answers; it lists ${answer.models.length} models.`);
  return apiKey === undefined
    ? ok(check, `${upstream} answers, and wants a key: that of each caller is passed on.`)
    : fail(check, `${upstream} does not take the key; it answers ${answer.status}.`);
}

function endpointAt(baseUrl: string, model: string, apiKey: string | undefined): EndpointModel {
  return {
    ...endpointModel({
      dialect: 'chat',
      baseUrl: /\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`,
      model,
      // Either API reads its own.
      headers: apiKey === undefined ? {} : { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
    }),
    // Somebody waits for the answer of `doctor`.
    timeoutMs: 10_000,
    idleTimeoutMs: 10_000,
    ...(apiKey !== undefined && { apiKey }),
  };
}
