import { agentSection } from './sections/agent-section.ts';
import { contextSection } from './sections/context-section.ts';
import { group } from './fields/field.ts';
import { mcpSection } from './sections/mcp-section.ts';
import { modelSection, summarizerSection } from './sections/model-section.ts';
import { proxySection } from './sections/proxy-section.ts';
import { serverSection } from './sections/server-section.ts';
import { storeSection } from './sections/store-section.ts';
import { telemetrySection } from './sections/telemetry-section.ts';
import { toolsSection } from './sections/tools-section.ts';
import type { z } from 'zod';

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
