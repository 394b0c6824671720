export { createAgent } from './agent/create-agent.ts';
export type {
  Agent,
  AgentSession,
  CompactionOutcome,
  CompactOptions,
  Queue,
  Sent,
  ShownMessage,
  SwitchOutcome,
  UndoOutcome,
} from './agent/agent.ts';
export type { AgentEvent, AgentEvents, AgentEventType, EventError, TokenUsage } from './agent/agent-event.ts';
export type {
  AgentOptions,
  ContextOptions,
  RunLimits,
  SessionPrompt,
  SummariserChoice,
} from './agent/agent-options.ts';
export type { ContextUsage, UsageByCategory, UsageLevel } from './agent/context-usage.ts';
export type { RunOutcome } from './agent/run-outcome.ts';
export type { UserContent, UserPart } from './agent/user-content.ts';
export { createTelemetry } from './telemetry/create-telemetry.ts';
export type { Telemetry, TelemetryOptions } from './telemetry/create-telemetry.ts';
export type { LogFields, Logger } from './telemetry/logger.ts';
export type { TelemetryApi } from './telemetry/telemetry-api.ts';
export type { WorkScope } from './telemetry/run-tracer.ts';
export { createApprovals } from './approvals/create-approvals.ts';
export type { ApprovalEvent, Approvals, ApprovalsOptions } from './approvals/create-approvals.ts';
export { createMemoryApprovalStore } from './approvals/memory-approval-store.ts';
export type {
  ApprovalAnswer,
  ApprovalRequest,
  ApprovalStore,
  Grant,
  StoredApproval,
} from './approvals/approval.ts';
export { connectMcpServers } from './mcp/connect-mcp-servers.ts';
export type { McpServers, McpServerStatus } from './mcp/connect-mcp-servers.ts';
export type { McpAddress, McpProgram, McpServerConfig } from './mcp/mcp-server-config.ts';
export { builtInToolNames, createBuiltInTools } from './tools/built-in-tools.ts';
export type { BuiltInToolName, BuiltInToolOptions } from './tools/built-in-tools.ts';
export { defineTool } from './tools/define-tool.ts';
export type { ConvertingToolDefinition, ToolDefinition } from './tools/define-tool.ts';
export { executeCalls } from './tools/execute-calls.ts';
export type { ExecutedCalls } from './tools/execute-calls.ts';
export type { CallResult, ExecuteContext, ToolEvent, ToolState } from './tools/execute-context.ts';
export { openWorkspace } from './tools/files/workspace.ts';
export type { Place, Workspace } from './tools/files/workspace.ts';
export { findImitation } from './tools/find-imitation.ts';
export { recallFromTranscript } from './tools/recall-from-transcript.ts';
export type {
  OutputStore,
  RecalledText,
  RecallHit,
  RecallSource,
  SessionAccess,
  Todo,
  TodoStore,
  WholeOutput,
} from './tools/session-access.ts';
export type { BashOptions } from './tools/shell/bash-tool.ts';
export { detectSandbox } from './tools/shell/detect-sandbox.ts';
export { describeSandbox } from './tools/shell/sandbox.ts';
export type { SandboxOptions } from './tools/shell/detect-sandbox.ts';
export type { Sandbox } from './tools/shell/sandbox.ts';
export type { Guard, GuardOptions } from './tools/guard/guard.ts';
export type {
  ApprovalRule,
  BadInput,
  Decision,
  PreparedCall,
  ResultContent,
  Tool,
  ToolCall,
  ToolContext,
  ToolReply,
  Touches,
} from './tools/tool.ts';
