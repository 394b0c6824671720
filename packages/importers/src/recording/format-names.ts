// The one list of formats. It imports nothing, so that `--help` of the command line can read it without the engine.

/** Requests to a model, and our own messages: what any recording can be written in. */
const requestLabels = {
  'openai-chat': 'OpenAI chat messages',
  'openai-responses': 'OpenAI Responses items',
  anthropic: 'Anthropic messages',
  'ai-sdk': 'AI SDK messages',
  session: 'a Throughline session',
} as const;

/** Logs of tools. `formats.ts` says of each how it is read. */
const logLabels = {
  'claude-code': 'a Claude Code session',
  'claude-sdk': 'a Claude Agent SDK stream',
  'codex-rollout': 'a Codex rollout',
  'codex-exec': 'the events of codex exec',
  pi: 'a pi session',
  'swe-agent': 'a SWE-agent trajectory',
  opencode: 'an OpenCode export',
  'copilot-cli': 'the events of Copilot CLI',
  'gemini-cli': 'a Gemini CLI session',
  openhands: 'an OpenHands log',
  cline: 'a Cline session',
  throughline: 'an export of a Throughline store',
} as const;

/** Formats that any recording can be written in. */
export type TargetName = keyof typeof requestLabels;
/** Formats of the logs of tools. */
export type LogName = keyof typeof logLabels;
/** Formats that can be read. */
export type FormatName = TargetName | LogName;

/** How each format is called in a sentence. */
export const formatLabels: Readonly<Record<FormatName, string>> = { ...requestLabels, ...logLabels };

/** Names of all formats that can be read. */
export const formatNames = Object.keys(formatLabels) as readonly FormatName[];
/** Names of the formats that any recording can be written in. */
export const targetNames = Object.keys(requestLabels) as readonly TargetName[];
