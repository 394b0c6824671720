import { clineEvidence, readCline } from './formats/cline.ts';
import { ownsClaudeCodeLine } from './formats/claude-code/session-tree.ts';
import { readClaudeCode } from './formats/claude-code/read-claude-code.ts';
import { adoptsBareItem } from './formats/codex/replay-rollout.ts';
import { ownsCodexLine, readCodexRollout } from './formats/codex/read-codex-rollout.ts';
import { ownsCodexExecLine, readCodexExec } from './formats/codex/read-codex-exec.ts';
import { ownsCopilotLine, readCopilotCli } from './formats/copilot-cli.ts';
import { geminiEvidence, ownsGeminiLine, readGeminiCli, readGeminiLines } from './formats/gemini-cli.ts';
import { opencodeEvidence, readOpencode } from './formats/opencode/read-opencode.ts';
import {
  openhandsEvidence,
  ownsOpenhandsLine,
  readOpenhandsJson,
  readOpenhandsLines,
} from './formats/openhands/read-openhands.ts';
import { ownsPiLine, readPi } from './formats/pi/read-pi.ts';
import { ownsClaudeSdkLine, readClaudeSdk } from './formats/claude-code/read-claude-sdk.ts';
import { readSweAgent, sweAgentEvidence } from './formats/swe-agent.ts';
import { ownsThroughlineLine, readThroughline } from './formats/throughline.ts';
import type { JsonFormat, LineFormat } from './recording/format.ts';
import type { FormatName } from './recording/recording.ts';

/** How each format is called in a sentence. */
export const formatLabels: Readonly<Record<FormatName, string>> = {
  'openai-chat': 'OpenAI chat messages',
  'openai-responses': 'OpenAI Responses items',
  anthropic: 'Anthropic messages',
  'ai-sdk': 'AI SDK messages',
  session: 'a Throughline session',
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
};

/** Logs with one JSON value per line. */
export const lineFormats: readonly LineFormat[] = [
  { name: 'throughline', owns: ownsThroughlineLine, read: readThroughline },
  { name: 'claude-code', owns: ownsClaudeCodeLine, read: readClaudeCode },
  { name: 'claude-sdk', owns: ownsClaudeSdkLine, read: readClaudeSdk },
  { name: 'codex-rollout', owns: ownsCodexLine, adopts: adoptsBareItem, read: readCodexRollout },
  { name: 'codex-exec', owns: ownsCodexExecLine, read: readCodexExec },
  { name: 'pi', owns: ownsPiLine, read: readPi },
  { name: 'copilot-cli', owns: ownsCopilotLine, read: readCopilotCli },
  { name: 'gemini-cli', owns: ownsGeminiLine, read: readGeminiLines },
  { name: 'openhands', owns: ownsOpenhandsLine, read: readOpenhandsLines },
];

/** Files that are one JSON value. Where the evidence is equal, the earlier one wins. */
export const jsonFormats: readonly JsonFormat[] = [
  { name: 'swe-agent', evidence: sweAgentEvidence, read: readSweAgent },
  { name: 'opencode', evidence: opencodeEvidence, read: readOpencode },
  { name: 'cline', evidence: clineEvidence, read: readCline },
  { name: 'openhands', evidence: openhandsEvidence, read: readOpenhandsJson },
  { name: 'gemini-cli', evidence: geminiEvidence, read: readGeminiCli },
];
