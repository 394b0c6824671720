import type { AgentInputItem } from '@openai/agents';
import type { AgentsItem } from '../../src/codecs/openai-agents/openai-agents-codec.ts';

/** Compiles only while everything the codec composes is an item of the real SDK. */
export function isSdkItem(item: AgentsItem): AgentInputItem {
  return item;
}
