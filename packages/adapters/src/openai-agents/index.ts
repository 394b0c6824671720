export { openaiAgentsContext } from './openai-agents-context.ts';
export type { OpenaiAgentsContext, OpenaiAgentsOptions, RecallToolOptions } from './openai-agents-context.ts';
export type {
  AgentsModel,
  AgentsRequest,
  AgentsResponse,
  AgentsSession,
  CountedUsage,
  FilterArgs,
  FilteredData,
  InputFilter,
} from './fitting.ts';
export type { AdapterOptions, StateStore } from '../following/adapter-options.ts';
