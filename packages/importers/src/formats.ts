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
import { writeClaudeCode } from './formats/claude-code/write-claude-code.ts';
import { completeClineMessage } from './formats/cline.ts';
import { writeCodexRollout } from './formats/codex/write-codex-rollout.ts';
import { completeOpencodeMessage, relinkAnswers } from './formats/opencode/write-opencode.ts';
import { writePi } from './formats/pi/write-pi.ts';
import { completeSweAgentMessage } from './formats/swe-agent.ts';
import { opencodeCodec } from './formats/opencode/opencode-codec.ts';
import { piCodec } from './formats/pi/pi-codec.ts';
import { sweAgentCodec } from './formats/swe-agent.ts';
import { requestFormats } from './requests/request-formats.ts';
import type { Codec } from '@throughline/core';
import type { LogFormat } from './recording/format.ts';
import type { FormatName, LogName } from './recording/format-names.ts';

/** Every log that is read, in the order in which they win where a file fits several of them equally. */
const logFormats: Readonly<Record<LogName, LogFormat>> = {
  throughline: { lines: { owns: ownsThroughlineLine, read: readThroughline } },
  'claude-code': { lines: { owns: ownsClaudeCodeLine, read: readClaudeCode, write: writeClaudeCode } },
  'claude-sdk': { lines: { owns: ownsClaudeSdkLine, read: readClaudeSdk } },
  'codex-rollout': {
    lines: { owns: ownsCodexLine, adopts: adoptsBareItem, read: readCodexRollout, write: writeCodexRollout },
  },
  'codex-exec': { lines: { owns: ownsCodexExecLine, read: readCodexExec } },
  pi: { lines: { owns: ownsPiLine, read: readPi, write: writePi }, codec: piCodec },
  'swe-agent': {
    json: { evidence: sweAgentEvidence, read: readSweAgent, complete: completeSweAgentMessage },
    codec: sweAgentCodec,
  },
  opencode: {
    json: {
      evidence: opencodeEvidence,
      read: readOpencode,
      complete: completeOpencodeMessage,
      relink: relinkAnswers,
    },
    codec: opencodeCodec,
  },
  cline: { json: { evidence: clineEvidence, read: readCline, complete: completeClineMessage } },
  'copilot-cli': { lines: { owns: ownsCopilotLine, read: readCopilotCli } },
  openhands: {
    lines: { owns: ownsOpenhandsLine, read: readOpenhandsLines },
    json: { evidence: openhandsEvidence, read: readOpenhandsJson },
  },
  'gemini-cli': {
    lines: { owns: ownsGeminiLine, read: readGeminiLines },
    json: { evidence: geminiEvidence, read: readGeminiCli },
  },
};

const logs = Object.entries(logFormats) as readonly (readonly [LogName, LogFormat])[];

/** How the log of a tool is read and written; `undefined` for a format of requests. */
export function logFormat(name: FormatName): LogFormat | undefined {
  return logs.find(([log]) => log === name)?.[1];
}

/** Logs with one JSON value per line. */
export const lineFormats = logs.flatMap(([name, { lines }]) => (lines ? [{ name, ...lines }] : []));

/** Files that are one JSON value. Where the evidence is equal, the earlier one wins. */
export const jsonFormats = logs.flatMap(([name, { json }]) => (json ? [{ name, ...json }] : []));

/** The codec that messages of some format are in, by the name that a state file has of it. */
export function codecNamed(name: string): Codec | undefined {
  const ofLogs = logs.flatMap(([, { codec }]) => codec ?? []);
  const ofRequests = Object.values(requestFormats).map(({ codec }) => codec);
  return [...ofRequests, ...ofLogs].find((codec) => codec.name === name);
}
