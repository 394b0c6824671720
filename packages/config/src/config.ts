import type { EndpointProviderName, Protocol } from './sections/providers.ts';
import type { WrittenConfig } from './config-schema.ts';

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
export interface DemoModel {
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
  readonly windowTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

export interface AgentConfig extends Omit<WrittenConfig['agent'], 'workspace'> {
  readonly workspace: string;
}

export type StoreConfig =
  | { readonly type: 'memory' }
  | { readonly type: 'sqlite'; readonly file: string; readonly blobs: { readonly folder: string } };

export type ContextConfig = Config['context'];
export type ToolConfig = Config['tools'][string];
export type ServerConfig = Config['server'];
