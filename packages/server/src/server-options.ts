import { ContextError } from '@throughline/core';
import { hostname } from 'node:os';
import { silentLog } from './server-log.ts';
import type { ServerLog } from './server-log.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface ServerOptions {
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** 0 takes a free one. @default 4100 */
  readonly port?: number;
  /** Who may call. Without any everybody who reaches the address may, and the address must be one of this machine alone. */
  readonly tokens?: readonly AccessToken[];
  /** Names a request may be addressed to, beside the address it listens on. */
  readonly allowedHosts?: readonly string[];
  /** Pages of other origins that may call, as `https://app.example`. */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
  /** Between two comments on a stream of events on which nothing else happens. @default 15 000 */
  readonly heartbeatMs?: number;
  /** What is configured, for the page at `/`: a name and a value a line, without secrets. */
  readonly about?: readonly (readonly [string, string])[];
  /** One line per request. @default none */
  readonly log?: ServerLog;
  /** Numbers at `/metrics`. @default true */
  readonly metrics?: boolean;
  /** Owners that may read `/metrics`, beside the one without a name: the numbers are those of all. @default none */
  readonly metricsOwners?: readonly string[];
  /** Told to whom may know it. @default '' */
  readonly version?: string;
  /** What the numbers at `/metrics` call this process among those on the same store. @default the name of the machine */
  readonly nodeName?: string;
  /** How long `/ready` waits for the store. @default 2 000 */
  readonly readyTimeoutMs?: number;
  /** Routes whose bytes are handed on as they come. @default none */
  readonly raw?: RawRoutes;
  /** Names of routes of the proxy that lead to the agent: `/proxy/<name>/v1/…` is `/v1/…`. @default none */
  readonly agentRoutes?: readonly string[];
  /** A folder with the files of the page that is served at `/`. @default a short text about this server */
  readonly pageFolder?: string;
  /** Told of every error that nobody foresaw; the caller learns only that there was one. */
  readonly onFault?: (error: unknown) => void;
}

export interface AccessToken {
  /** Whose sessions are seen and made with it. */
  readonly owner: string;
  readonly token: string;
}

export interface ServerLimits {
  readonly maxBodyBytes: number;
  /** Objects and lists inside each other. */
  readonly maxBodyDepth: number;
  /** Values in a body of JSON, all together. */
  readonly maxBodyValues: number;
  /** All headers together. */
  readonly maxHeaderBytes: number;
  /** Requests that are being answered, streams included. */
  readonly maxOpenRequests: number;
  /** For all headers to arrive. */
  readonly headersTimeoutMs: number;
  /** For a whole request to arrive. */
  readonly requestTimeoutMs: number;
  /**
   * How long a connection may lie idle. Longer than the minute for which load balancers keep theirs, and than a client is
   * busy with something else: whoever asks on a connection that closes in that moment is told that it was reset.
   */
  readonly idleTimeoutMs: number;
  /** How long a stop waits for what is being answered. */
  readonly stopGraceMs: number;
}

const defaultLimits: ServerLimits = {
  maxBodyBytes: 32_000_000,
  maxBodyDepth: 64,
  maxBodyValues: 100_000,
  maxHeaderBytes: 16_384,
  maxOpenRequests: 4_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 65_000,
  stopGraceMs: 10_000,
};

/** Options with all defaults. */
export interface ServerSetup {
  readonly host: string;
  readonly port: number;
  readonly tokens: readonly AccessToken[];
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly limits: ServerLimits;
  readonly agentRoutes: readonly string[];
  readonly heartbeatMs: number;
  readonly about: readonly (readonly [string, string])[];
  readonly log: ServerLog;
  readonly metrics: boolean;
  readonly metricsOwners: readonly string[];
  readonly version: string;
  readonly nodeName: string;
  readonly readyTimeoutMs: number;
  readonly pageFolder: string | undefined;
  readonly onFault: (error: unknown) => void;
}

const leastTokenLength = 16;

/** @throws {ContextError} `invalid-option` where others could reach a server that asks for no token, or a token is short. */
export function setupOf(options: ServerOptions): ServerSetup {
  const { host = '127.0.0.1', tokens = [], limits } = options;
  if (tokens.length === 0 && !isLoopback(host))
    throw invalid('tokens', 'at least one, because others can reach this address', host);
  for (const { owner, token } of tokens) {
    // The token itself stays out of the message.
    if (!/^[\x21-\x7e]+$/.test(token) || token.length < leastTokenLength)
      throw invalid('tokens', `at least ${leastTokenLength} visible ASCII characters without blanks`, owner);
  }
  return {
    host,
    port: options.port ?? 4_100,
    tokens,
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: options.allowedOrigins ?? [],
    limits: { ...defaultLimits, ...limits },
    agentRoutes: options.agentRoutes ?? [],
    heartbeatMs: options.heartbeatMs ?? 15_000,
    about: options.about ?? [],
    log: options.log ?? silentLog,
    metrics: options.metrics ?? true,
    metricsOwners: options.metricsOwners ?? [],
    version: options.version ?? '',
    nodeName: options.nodeName ?? hostname(),
    readyTimeoutMs: options.readyTimeoutMs ?? 2_000,
    pageFolder: options.pageFolder,
    onFault: options.onFault ?? ((): void => {}),
  };
}

/** Only programs of this machine reach it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function invalid(option: string, expected: string, received: unknown): ContextError<'invalid-option'> {
  const message = `Cannot start the server: ${option} must be ${expected}.`;
  return new ContextError('invalid-option', message, { option, expected, received });
}

/** A request that is answered on the socket itself. */
export interface RawRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the query. */
  readonly path: string;
  /** With its question mark; empty where there is none. */
  readonly search: string;
  /** Who calls, where callers show tokens. */
  readonly owner: string;
  /** Told before the answer is over, where something is known. */
  readonly onDone: (done: RawDone) => void;
}

/** What was done to a request on its way. */
export interface RawDone {
  readonly action: string;
  readonly savedTokens: number;
}

/** Routes beside those of the API whose bytes are handed on as they come: a proxy. */
export interface RawRoutes {
  readonly owns: (path: string) => boolean;
  /**
   * Whether callers show their token in the usual places. Where those hold the key of an upstream, it stands in a header
   * of its own.
   */
  readonly takesUsualCredentials: (path: string) => boolean;
  /** The name of its route in the configuration, for counting; the same for all that has no name there. */
  readonly nameOf: (path: string) => string;
  /** Answers it, whatever comes of it. */
  readonly handle: (request: RawRequest) => Promise<void>;
}
