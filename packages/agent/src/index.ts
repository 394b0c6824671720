export type { ApprovalAnswer, ApprovalRequest, Grant } from './approvals/approvals.ts';
export { createAgent } from './create-agent.ts';
export type { Agent } from './create-agent.ts';
export type { WatchOptions } from './fleet/watch-store.ts';
export type {
  AgentEvent,
  AgentEvents,
  AgentEventType,
  ContextUsage,
  EventError,
  RunOutcome,
  StepRecord,
  TokenUsage,
  UsageByCategory,
  UsageLevel,
} from './events/agent-event.ts';
export { connectMcpServers } from './mcp/mcp-servers.ts';
export type { McpServers, McpServerStatus } from './mcp/connect-mcp-servers.ts';
export type { McpAddress, McpProgram, McpServerConfig } from './mcp/mcp-connection.ts';
export type {
  AgentFacts,
  AgentOptions,
  AgentSettings,
  ContextOptions,
  ModelThresholds,
  RunLimits,
  SessionPrompt,
  SummariserChoice,
} from './options/agent-options.ts';
export { createTokenQuota } from './quota/quotas.ts';
export type { Quota, TokenQuota } from './quota/quotas.ts';
export type { Settings } from './options/live-settings.ts';
export type { Queue } from './queue/create-queue.ts';
export type { UserContent, UserPart } from './queue/store-content.ts';
export type {
  AgentSession,
  Branch,
  BranchOptions,
  CheckpointNode,
  CheckpointTree,
  CompactionOutcome,
  ComparedViews,
  ForkOptions,
  PinOutcome,
  RebuiltRequest,
  SessionSetup,
  RedoOutcome,
  WhatIf,
  CompactOptions,
  Sent,
  SessionBlob,
  SessionQueue,
  ShownMessage,
  SwitchOutcome,
  UndoOutcome,
} from './session/agent-session.ts';
export { createTelemetry } from './telemetry/create-telemetry.ts';
export type { LogFields, Logger, Telemetry, TelemetryOptions } from './telemetry/create-telemetry.ts';
export type { TelemetryApi } from './telemetry/meters.ts';
export type { WorkScope } from './telemetry/run-tracer.ts';
export { traceOf } from './trace/trace-of.ts';
export type { CompactionCost } from './view/compaction-cost.ts';
export type { ContextItem, ContextItems } from './view/context-items-of.ts';
export type {
  StepContext,
  TraceCall,
  TraceNote,
  TracePage,
  TraceQuery,
  TraceRun,
  TraceStep,
} from './trace/trace-of.ts';
export { contextUsageOf } from './view/context-usage-of.ts';
export { builtInToolNames, createBuiltInTools } from './tools/built-in/built-in-tools.ts';
export type { BuiltInToolName, BuiltInToolOptions } from './tools/built-in/built-in-tools.ts';
export { defineTool } from './tools/define-tool.ts';
export type { ConvertingToolDefinition, ToolDefinition } from './tools/define-tool.ts';
export { openWorkspace } from './tools/files/workspace.ts';
export type { Place, Workspace } from './tools/files/workspace.ts';
export type { Guard, GuardOptions } from './tools/guard/guard.ts';
export type { BashOptions } from './tools/shell/bash-tool.ts';
export { describeSandbox, detectSandbox } from './tools/shell/sandbox.ts';
export type { Sandbox, SandboxOptions } from './tools/shell/sandbox.ts';
export type {
  ApprovalRule,
  BadInput,
  OutputStore,
  PreparedCall,
  RecalledText,
  RecallHit,
  RecallSource,
  ResultContent,
  SessionAccess,
  Todo,
  TodoStore,
  Tool,
  ToolContext,
  ToolReply,
  ToolState,
  Touches,
  WholeOutput,
} from './tools/tool.ts';
