export type {
  AgentEvent,
  AgentEvents,
  AgentEventType,
  ApprovalAnswer,
  ApprovalRequest,
  CompactAnswer,
  CompactionCost,
  ContextItem,
  ContextItems,
  ContextUsage,
  EventError,
  Grant,
  RunOutcome,
  ShownMessage,
  StepContext,
  StepRecord,
  TokenUsage,
  TraceCall,
  UsageByCategory,
  UsageLevel,
  UserContent,
  UserPart,
  WhatIf,
} from '@throughline/protocol/types';
export { createAgent } from './create-agent.ts';
export type { Agent } from './create-agent.ts';
export type { WatchOptions } from './fleet/watches.ts';
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
  CompactOptions,
  Sent,
  SessionBlob,
  SessionQueue,
  SwitchOutcome,
  UndoOutcome,
} from './session/agent-session.ts';
export { createTelemetry } from './telemetry/create-telemetry.ts';
export type { LogFields, Logger, Telemetry, TelemetryOptions } from './telemetry/create-telemetry.ts';
export type { TelemetryApi } from './telemetry/meters.ts';
export type { WorkScope } from './telemetry/run-tracer.ts';
export { traceOf } from './trace/trace-of.ts';
export type { TraceNote, TracePage, TraceQuery, TraceRun, TraceStep } from './trace/trace-of.ts';
export { contextUsageOf } from './view/context-usage-of.ts';
export { builtInToolNames, createBuiltInTools } from './tools/built-in/built-in-tools.ts';
export type { BuiltInToolName, BuiltInToolOptions } from './tools/built-in/built-in-tools.ts';
export { defineTool } from './tools/define-tool.ts';
export type { ConvertingToolDefinition, ToolDefinition } from './tools/define-tool.ts';
export { openWorkspace } from './tools/files/workspace.ts';
export type { WorkspacePlace, Workspace } from './tools/files/workspace.ts';
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
