import { answerInTime, tooLate } from '../composition/in-time.ts';
import { createHash } from 'node:crypto';
import type { Answer } from '@throughline/core';
import type { Composition } from '../composition/composition.ts';
import type { Driver, RetryPolicy } from '@throughline/ports';
import type { EndpointModel } from '@throughline/config';
import type { ModelEndpoint, ProxyServices } from '@throughline/proxy';
import type { ServerLog } from '@throughline/server';

const protocols = { chat: 'openai-chat', messages: 'anthropic', responses: 'openai-responses' } as const;

// Somebody waits for the answer behind a summary; then code writes it.
const timeoutMs = 120_000;
const idleTimeoutMs = 30_000;
/** For a connection that had been closed meanwhile, and no more than that. */
const retry: RetryPolicy = { attempts: 2, firstDelayMs: 500, longestWaitMs: 2_000 };

/** Whoever kept a client waiting so long for nothing is not asked again for a while. */
const longInVainMs = 5_000;
const pauseMs = 300_000;
const mostPaused = 1_000;

/** The model of a conversation, as the drivers take one: the credentials are headers already. */
export function endpointModel({ dialect, baseUrl, model, headers }: ModelEndpoint): EndpointModel {
  return {
    provider: dialect === 'messages' ? 'anthropic' : 'openai-compatible',
    protocol: protocols[dialect],
    name: model,
    // The drivers of Anthropic's API write the version themselves.
    baseUrl: dialect === 'messages' ? baseUrl.replace(/\/v\d+$/, '') : baseUrl,
    endpoint: 'hosted',
    apiKeyEnv: '',
    needsKey: false,
    headers,
    timeoutMs,
    idleTimeoutMs,
  };
}

/** The same as its caller asks it. */
function asItsCaller(endpoint: ModelEndpoint): EndpointModel {
  return { ...endpointModel(endpoint), ...endpoint.asClient };
}

type Needed = Pick<Composition, 'clock' | 'timer' | 'createDriverFrom' | 'createSummariserFrom'>;

/**
 * Lets the models of conversations write their summaries. A client waits for what one of them writes for a request, so it
 * gets two minutes for that, in however many parts; and a model that has kept one waiting in vain is left alone for five, while code writes its summaries.
 */
export function createSummarisers(
  composition: Needed,
  log: ServerLog,
): NonNullable<ProxyServices['summariserFor']> {
  const { clock } = composition;
  /** When each is asked again. */
  const pausedUntilMs = new Map<string, number>();

  function pause(key: string, model: string): void {
    log.warn(
      { model, seconds: pauseMs / 1_000 },
      'A model writes no summaries: for a while code writes them',
    );
    pausedUntilMs.delete(key);
    pausedUntilMs.set(key, clock.nowMs() + pauseMs);
    const [oldest] = pausedUntilMs.keys();
    if (pausedUntilMs.size > mostPaused && oldest !== undefined) pausedUntilMs.delete(oldest);
  }

  /** Those that have said no, and that was told of. */
  const refusing = new Set<string>();

  /** Told once of each, until it writes one: code writes them meanwhile, and nobody would notice. */
  function noteRefusal(key: string, model: string, answer: Answer): void {
    if (answer.type === 'text') refusing.delete(key);
    if (answer.type !== 'failed' || answer.cause !== 'unavailable' || refusing.has(key)) return;
    refusing.add(key);
    const [oldest] = refusing;
    if (refusing.size > mostPaused && oldest !== undefined) refusing.delete(oldest);
    log.warn({ model, error: answer.message }, 'A model writes no summary when it is asked: code writes it');
  }

  return (endpoint) => {
    const { model: name } = endpoint;
    // Made when it is first asked: most requests need no summary.
    let made: Driver | undefined;
    let leftMs = timeoutMs;
    return {
      name,
      complete: async (request, { signal }) => {
        const key = keyOf(endpoint);
        const beganAtMs = clock.nowMs();
        if (beganAtMs < (pausedUntilMs.get(key) ?? 0)) return resting;
        if (leftMs <= 0) return tooLate;
        const driver = (made ??= composition.createSummariserFrom(
          composition.createDriverFrom(asItsCaller(endpoint), { retry }),
        ));
        const answer = await answerInTime(composition.timer, leftMs, (ended) =>
          driver.complete(request, { signal: signal ? AbortSignal.any([signal, ended]) : ended }),
        );
        leftMs -= clock.nowMs() - beganAtMs;
        noteRefusal(key, name, answer);
        const isInVain = answer.type === 'failed' && failing.has(answer.cause);
        if (isInVain && clock.nowMs() - beganAtMs >= longInVainMs) pause(key, name);
        return answer;
      },
    };
  };
}

const failing: ReadonlySet<string> = new Set(['timeout', 'unavailable']);
const resting: Answer = { type: 'failed', cause: 'unavailable', message: 'it did not answer a moment ago' };

/** Names the endpoint with the headers that it is asked with: what one key pays for nobody else gets. */
function keyOf({ dialect, baseUrl, model, headers }: ModelEndpoint): string {
  return createHash('sha256')
    .update(JSON.stringify([dialect, baseUrl, model, headers]))
    .digest('base64url');
}
