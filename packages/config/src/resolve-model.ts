import { isLocalHost } from './checks/is-local-host.ts';
import { keyVariable } from './environment/variables.ts';
import { demoProvider, providers } from './sections/providers.ts';
import { writtenModel } from './sections/model-section.ts';
import type { Environment } from './environment/variables.ts';
import type { ModelConfig } from './config.ts';
import type { Protocol, Provider } from './sections/providers.ts';
import type { WrittenModel } from './sections/model-section.ts';

/** A model with address and key. The key of a provider goes to that provider's own address only. */
export function resolveModel(value: string | WrittenModel, environment: Environment): ModelConfig {
  const written = writtenModel(value);
  const { provider, name, headers = {}, windowTokens, maxOutputTokens, temperature } = written;
  if (provider === demoProvider) return { provider, name: demoProvider, windowTokens };
  const known: Provider = providers[provider];
  const baseUrl = addressOf(written.baseUrl ?? known.baseUrl ?? '', known.protocol);
  const ownKeyEnv = isSameOrigin(baseUrl, known.baseUrl) ? known.apiKeyEnv : undefined;
  const apiKeyEnv = written.apiKeyEnv ?? ownKeyEnv ?? keyVariable;
  const apiKey = written.apiKey ?? environment[apiKeyEnv]?.trim();
  return {
    provider,
    protocol: known.protocol,
    name: name ?? '',
    baseUrl,
    endpoint: isLocalHost(hostOf(baseUrl)) ? 'local' : 'hosted',
    apiKeyEnv,
    needsKey: written.apiKeyEnv !== undefined || ownKeyEnv !== undefined,
    apiKey: apiKey === '' ? undefined : apiKey,
    headers,
    windowTokens,
    maxOutputTokens,
    temperature,
    timeoutMs: written.timeoutMs,
    idleTimeoutMs: written.idleTimeoutMs,
  };
}

/** Without slashes at the end; Anthropic's driver adds the version itself, and people write it. */
function addressOf(written: string, protocol: Protocol): string {
  const bare = written.replace(/\/{1,9}$/, '');
  return protocol === 'anthropic' ? bare.replace(/\/v1$/, '') : bare;
}

function isSameOrigin(one: string, other: string | undefined): boolean {
  return other !== undefined && URL.canParse(one) && new URL(one).origin === new URL(other).origin;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}
