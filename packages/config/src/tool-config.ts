import type { Config, ToolConfig } from './config.ts';

/** What is configured for one tool: key by key its own, else that of `default`. */
export function toolConfigOf(tools: Config['tools'], name: string): ToolConfig {
  const own = Object.hasOwn(tools, name) ? tools[name] : undefined;
  return { ...tools['default'], ...own };
}
