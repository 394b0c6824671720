import { agentSection, mcpSection, toolsSection } from './agent-sections.ts';
import { contextSection } from './context-section.ts';
import { group } from '../fields/field.ts';
import { modelSection, summarizerSection } from './model-section.ts';
import { proxySection, serverSection, telemetrySection } from './server-sections.ts';
import { storeSection } from './store-section.ts';
import type { z } from 'zod';
import type { EndpointProviderName, Protocol } from './providers.ts';

/** Everything a configuration may hold. The editors' schema, the environment's names and the page in docs are made from it. */
export const configSchema = group(
  {
    model: modelSection('The model of the sessions. Without one the built-in demo answers.'),
    summarizer: summarizerSection('The model that writes summaries.'),
    agent: agentSection,
    context: contextSection,
    tools: toolsSection,
    mcpServers: mcpSection,
    server: serverSection,
    store: storeSection,
    proxy: proxySection,
    telemetry: telemetrySection,
  },
  'Configuration of Throughline.',
);

/** A configuration as it is written, with the defaults that depend on nothing else. */
export type WrittenConfig = z.output<typeof configSchema>;

/** A configuration with every default filled in, paths absolute, and the keys that the environment holds. */
export interface Config extends Omit<WrittenConfig, 'model' | 'summarizer' | 'agent' | 'store'> {
  readonly model: ModelConfig;
  /** `same`: the model of the session. */
  readonly summarizer: 'same' | ModelConfig;
  readonly agent: AgentConfig;
  readonly store: StoreConfig;
}

export type ModelConfig = DemoModel | EndpointModel;

/** The built-in demo. */
interface DemoModel {
  readonly provider: 'demo';
  readonly name: 'demo';
  readonly windowTokens?: number | undefined;
}

export interface EndpointModel {
  readonly provider: EndpointProviderName;
  readonly protocol: Protocol;
  readonly name: string;
  /** As the drivers take it, without a slash at the end. */
  readonly baseUrl: string;
  /** `local`: on this machine or in this house, where an unknown model is likely loaded small. */
  readonly endpoint: 'hosted' | 'local';
  /** The variable that was looked at for the key. */
  readonly apiKeyEnv: string;
  /** Nothing works without one. */
  readonly needsKey: boolean;
  /** A secret: never shown. */
  readonly apiKey?: string | undefined;
  /** May be secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly windowTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

interface AgentConfig extends Omit<WrittenConfig['agent'], 'workspace'> {
  readonly workspace: string;
}

export type StoreConfig =
  | { readonly type: 'memory' }
  | { readonly type: 'sqlite'; readonly file: string; readonly blobs: { readonly folder: string } }
  | PostgresConfig;

export interface PostgresConfig {
  readonly type: 'postgres';
  /** May hold a password: never shown. */
  readonly databaseUrl: string;
  readonly connections: number;
  /** Without a folder or a bucket they are in the database. */
  readonly blobs: { readonly folder?: string | undefined; readonly bucket?: BucketConfig };
}

export interface BucketConfig {
  /** `s3://bucket/prefix` */
  readonly address: string;
  readonly endpoint?: string;
  readonly region?: string;
}

/** Routes of the proxy have no thresholds of single models. */
export type ContextConfig = Omit<Config['context'], 'byModel'> & Partial<Pick<Config['context'], 'byModel'>>;
export type ToolConfig = Config['tools'][string];
export type ServerConfig = Config['server'];

/** What is configured for one tool: key by key its own, else that of `default`. */
export function toolConfigOf(tools: Config['tools'], name: string): ToolConfig {
  const own = Object.hasOwn(tools, name) ? tools[name] : undefined;
  return { ...tools['default'], ...own };
}
