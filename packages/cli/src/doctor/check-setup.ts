import { countOf } from '../terminal/numbers.ts';
import { systemCodeOf } from '../outcome/failure.ts';
import { fail, ok, warn } from './finding.ts';
import { faultSentence } from '@throughline/config';
import { wantedKeys } from '../config/trust.ts';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { Check, Finding } from './finding.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { TrustQuestion } from '../config/trust.ts';
import type { Config, ServerConfig } from '@throughline/config';

const configName = 'configuration';

/** Whether the configuration is in order, and where it is from. */
export function checkConfig({ file, result }: LoadedConfig, question?: TrustQuestion): Check {
  const from = file?.path ?? 'no file: the defaults hold';
  const variables =
    result.variables.length > 0 ? `, and ${countOf(result.variables.length, 'variable')}` : '';
  return {
    name: configName,
    run: () => {
      const told = result.warnings.map((warning): Finding => warn(configName, faultSentence(warning)));
      if (result.type === 'config')
        return [ok(configName, from + variables), ...untrustedFinding(question), ...told];
      return [...result.faults.map((fault) => fail(configName, faultSentence(fault))), ...told];
    },
  };
}

function untrustedFinding(question: TrustQuestion | undefined): readonly Finding[] {
  if (!question) return [];
  const keys = wantedKeys(question.wants);
  const why = question.hasChanged ? 'has changed since it was trusted' : 'is not trusted yet';
  return [
    warn(
      configName,
      `${question.file.name ?? question.file.path} ${why}: nothing here counts ${keys}. chat asks; --trust looks at all.`,
    ),
  ];
}

const leastMajor = 24;

/** @param version as `process.versions.node` has it */
export function checkRuntime(version: string): Check {
  const name = 'runtime';
  return {
    name,
    run: () =>
      Number(version.split('.')[0]) >= leastMajor
        ? [ok(name, `Node ${version}`)]
        : [fail(name, `Node ${version} is too old: at least ${leastMajor} is needed.`)],
  };
}

/** Whoever waits longer for a server than for the rest thinks that nothing happens. */
const mostWaitMs = 10_000;
/** Connecting, and then the list of tools. */
const limitMs = 2.5 * mostWaitMs;

/** One check per MCP server: it is started, or called, and tells its tools. */
export function mcpChecks({ mcpServers }: Config): readonly Check[] {
  return Object.entries(mcpServers).map(([server, config]): Check => {
    const name = `mcp ${server}`;
    const connectTimeoutMs = Math.min(config.connectTimeoutMs ?? mostWaitMs, mostWaitMs);
    return {
      name,
      limitMs,
      run: async (): Promise<readonly Finding[]> => {
        const { connectMcpServers } = await import('@throughline/agent');
        await using connected = await connectMcpServers({ [server]: { ...config, connectTimeoutMs } });
        return connected.servers.map(({ state, toolCount, error = 'it does not answer' }) => {
          if (state === 'failed') return fail(name, `cannot be used: ${error}`);
          return toolCount === 0
            ? warn(name, 'answers, and has no tools.')
            : ok(name, `answers, with ${countOf(toolCount, 'tool')}.`);
        });
      },
    };
  });
}

const portName = 'port';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken by another program.',
  EACCES: 'may not be listened on by this user.',
  EADDRNOTAVAIL: 'is no address of this machine.',
  ENOTFOUND: 'is no host that is known here.',
};

const answerMs = 2_000;

/** Whether it is a server of ours that has the port. */
async function isServed(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  // Who listens everywhere also listens here.
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${port}/health`;
  try {
    const answer = await fetch(address, {
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    const told: unknown = await answer.json();
    return (
      answer.ok && typeof told === 'object' && told !== null && 'name' in told && told.name === 'throughline'
    );
  } catch {
    return false;
  }
}

/** The server could listen where it is configured to, or does. */
export function checkPort({ host, port }: ServerConfig): Check {
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
        if (code === 'EADDRINUSE' && (await isServed(host, port, signal)))
          return [ok(portName, `${host}:${port}: a server of throughline runs there, and answers.`)];
        return [
          fail(portName, `${host}:${port} ${reasons[code] ?? `cannot be listened on: ${String(error)}.`}`),
        ];
      } finally {
        server.close();
      }
    },
  };
}

const sandboxName = 'sandbox';

/** What holds commands in. */
export function checkSandbox(network: boolean): Check {
  return {
    name: sandboxName,
    run: async () => {
      const { describeSandbox, detectSandbox } = await import('@throughline/agent');
      const sandbox = await detectSandbox({ network });
      return [(sandbox.type === 'none' ? warn : ok)(sandboxName, describeSandbox(sandbox))];
    },
  };
}
