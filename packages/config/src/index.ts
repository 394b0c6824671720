export { configCandidates } from './config-candidates.ts';
export type { ConfigCandidate, ConfigSearch } from './config-candidates.ts';
export { faultSentence, placeName } from './config-fault.ts';
export type { ConfigFault } from './config-fault.ts';
export type {
  AgentConfig,
  Config,
  ContextConfig,
  DemoModel,
  EndpointModel,
  ModelConfig,
  ServerConfig,
  StoreConfig,
  ToolConfig,
} from './config.ts';
export { engineOptionsOf } from './engine-options.ts';
export type { EngineOptions } from './engine-options.ts';
export { excerptOf } from './excerpt.ts';
export type { Excerpt } from './excerpt.ts';
export { isBuiltInProfile } from './sections/context-section.ts';
export { jsonSchema } from './json-schema.ts';
export { knownKeys } from './known-keys.ts';
export type { KnownKey } from './known-keys.ts';
export { maskSecrets } from './mask-secrets.ts';
export { parseConfig } from './parse-config.ts';
export type { ConfigFile, ConfigInput, ConfigResult } from './parse-config.ts';
export { variableOf } from './environment/variables.ts';
export type { Environment } from './environment/variables.ts';
export type { Place } from './yaml/located.ts';
export { showConfig } from './show-config.ts';
export { toolConfigOf } from './tool-config.ts';
export type { Want } from './trust/folder-trust.ts';
export { userFolder } from './environment/user-folders.ts';
