import { createServer } from 'node:net';
import { fail, ok, warn } from './finding.ts';
import { once } from 'node:events';
import { systemCodeOf } from '../outcome/failure.ts';
import type { Check, Finding } from './finding.ts';
import type { ServerConfig } from '@throughline/config';

const portName = 'port';
const serverName = 'server';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another program.',
  EACCES: 'may not be listened on by this user.',
  EADDRNOTAVAIL: 'is no address of this machine.',
  ENOTFOUND: 'is no host that is known here.',
};

/** What the check of a server knows of this side. */
export interface OwnSide {
  /** The version of this program. */
  readonly version: string;
  /** Holds the tokens that the configuration names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The server could listen where it is configured to, or does: then also whether it works, and takes the tokens. */
export function checkPort(config: ServerConfig, own: OwnSide): Check {
  const { host, port } = config;
  return {
    name: portName,
    run: async (signal) => {
      if (port === 0) return [ok(portName, `${host}, any free port`)];
      const server = createServer();
      try {
        server.listen({ host, port, signal, exclusive: true });
        await once(server, 'listening');
        return [ok(portName, `${host}:${port} is free.`)];
      } catch (error) {
        const code = systemCodeOf(error);
        const running = code === 'EADDRINUSE' ? await runningServer(config, own, signal) : undefined;
        if (running)
          return [
            ok(portName, `${host}:${port}: a server of throughline runs there, and answers.`),
            ...running,
          ];
        return [
          fail(portName, `${host}:${port} ${reasons[code] ?? `cannot be listened on: ${String(error)}.`}`),
        ];
      } finally {
        server.close();
      }
    },
  };
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

type Ask = (path: string, token?: string) => Promise<Answer>;

/** What there is to say of the server that has the port; `undefined` where it is none of ours. */
async function runningServer(
  config: ServerConfig,
  { version, environment }: OwnSide,
  signal: AbortSignal,
): Promise<readonly Finding[] | undefined> {
  const ask = askerOf(config, signal);
  const tokens = tokensOf(config).map((variable) => ({
    variable,
    token: environment[variable]?.trim() ?? '',
  }));
  try {
    const health = await ask('/health', tokens.find(({ token }) => token !== '')?.token);
    if (health.status !== 200 || health.body['name'] !== 'throughline') return undefined;
    const isReady = await readiness(ask);
    const known = typeof health.body['version'] === 'string' ? health.body['version'] : undefined;
    return [isReady, ...versionFinding(known, version), ...(await accessFindings(ask, tokens))];
  } catch {
    return undefined;
  }
}

const answerMs = 2_000;

function askerOf({ host, port }: ServerConfig, signal: AbortSignal): Ask {
  // Who listens everywhere also listens here.
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  return async (path, token) => {
    const answer = await fetch(address + path, {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    const body: unknown = await answer.json();
    return { status: answer.status, body: typeof body === 'object' && body !== null ? { ...body } : {} };
  };
}

async function readiness(ask: Ask): Promise<Finding> {
  const { status, body } = await ask('/ready');
  if (status === 200) return ok(serverName, 'it is ready.');
  return fail(serverName, `it is not ready: ${typeof body['detail'] === 'string' ? body['detail'] : status}`);
}

/** A server tells its version to who shows a token. */
function versionFinding(version: string | undefined, own: string): readonly Finding[] {
  if (version === undefined) return [];
  return version === own
    ? [ok(serverName, `it is of this version, ${own}.`)]
    : [warn(serverName, `it is of version ${version}, and this program of ${own}: start it anew.`)];
}

interface NamedToken {
  readonly variable: string;
  readonly token: string;
}

async function accessFindings(ask: Ask, tokens: readonly NamedToken[]): Promise<readonly Finding[]> {
  if (tokens.length > 0) return await Promise.all(tokens.map((one) => accessFinding(ask, one)));
  const { status } = await ask('/api/sessions?limit=1');
  return status === 401
    ? [fail(serverName, 'it asks for a token, and server.tokenEnv names none here.')]
    : [ok(serverName, 'it asks for no token: every program of this machine may call.')];
}

async function accessFinding(ask: Ask, { variable, token }: NamedToken): Promise<Finding> {
  if (token === '') return warn(serverName, `${variable} is not set here: its token was not tried.`);
  const { status } = await ask('/api/sessions?limit=1', token);
  return status === 200
    ? ok(serverName, `it takes the token in ${variable}.`)
    : fail(serverName, `it does not take the token in ${variable} (${status}).`);
}

function tokensOf({ tokenEnv, tokens }: ServerConfig): readonly string[] {
  return [...(tokenEnv === undefined ? [] : [tokenEnv]), ...Object.values(tokens).map((one) => one.tokenEnv)];
}
