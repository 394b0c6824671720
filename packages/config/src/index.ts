export { configCandidates } from './environment/config-candidates.ts';
export type { ConfigCandidate, ConfigSearch } from './environment/config-candidates.ts';
export { faultSentence, placeName } from './yaml/config-fault.ts';
export type { ConfigFault } from './yaml/config-fault.ts';
export type {
  AgentConfig,
  BucketConfig,
  Config,
  ContextConfig,
  DemoModel,
  EndpointModel,
  ModelConfig,
  ServerConfig,
  PostgresConfig,
  StoreConfig,
  ToolConfig,
} from './schema/config.ts';
export { engineOptionsOf } from './engine-options.ts';
export type { EngineOptions } from './engine-options.ts';
export { excerptOf } from './excerpt.ts';
export type { Excerpt } from './excerpt.ts';
export { isBuiltInProfile } from './schema/context-section.ts';
export { jsonSchema } from './schema/known-keys.ts';
export { knownKeys } from './schema/known-keys.ts';
export type { KnownKey } from './schema/known-keys.ts';
export { maskSecrets } from './schema/secrets.ts';
export { parseConfig } from './parse-config.ts';
export type { ConfigFile, ConfigInput, ConfigResult } from './parse-config.ts';
export { variableOf } from './environment/variables.ts';
export type { Environment } from './environment/variables.ts';
export type { Place } from './yaml/located.ts';
export { showConfig } from './schema/secrets.ts';
export { toolConfigOf } from './schema/config.ts';
export type { Want } from './folder-trust.ts';
export { userFolder } from './environment/config-candidates.ts';
