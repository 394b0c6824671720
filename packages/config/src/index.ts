export { configCandidates } from './environment/config-candidates.ts';
export type { ConfigCandidate } from './environment/config-candidates.ts';
export { faultSentence } from './yaml/config-fault.ts';
export type { ConfigFault } from './yaml/config-fault.ts';
export type {
  BucketConfig,
  Config,
  ContextConfig,
  EndpointModel,
  ModelConfig,
  ServerConfig,
  PostgresConfig,
  StoreConfig,
} from './schema/config.ts';
export { engineOptionsOf } from './engine-options.ts';
export { excerptOf } from './excerpt.ts';
export { isBuiltInProfile } from './schema/context-section.ts';
export { jsonSchema } from './schema/known-keys.ts';
export { knownKeys } from './schema/known-keys.ts';
export type { KnownKey } from './schema/known-keys.ts';
export { maskSecrets } from './schema/secrets.ts';
export { parseConfig } from './parse-config.ts';
export type { ConfigFile, ConfigInput, ConfigResult } from './parse-config.ts';
export { variableOf } from './environment/variables.ts';
export type { Environment } from './environment/variables.ts';
export { showConfig } from './schema/secrets.ts';
export { toolConfigOf } from './schema/config.ts';
export type { Want } from './folder-trust.ts';
export { userFolder } from './environment/config-candidates.ts';
