import { countOf } from '../terminal/numbers.ts';
import { fail, ok, warn } from './finding.ts';
import { faultSentence } from '@throughline/config';
import { wantedKeys } from '../config/trust.ts';
import type { Check, Finding } from './finding.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { TrustQuestion } from '../config/trust.ts';
import type { Config } from '@throughline/config';

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
